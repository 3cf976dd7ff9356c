"""How well it works: what was measured, and nothing else."""

from functools import partial

from nicegui import html

from sharpwave.interfaces.web.parts import layout, times
from sharpwave.interfaces.web.parts.bars import Bar, bars
from sharpwave.interfaces.web.parts.charts import chart
from sharpwave.interfaces.web.parts.later import later
from sharpwave.interfaces.web.parts.paging import table
from sharpwave.interfaces.web.shown import experience
from sharpwave.interfaces.web.shown import quality as shown
from sharpwave.interfaces.web.shown.counts import count
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.quality import Calibration, Performance
from sharpwave.types.skills import BehaviorMetrics, SkillHistory

TITLE = "Quality"
ICON = "insights"
PATH = "/quality"
_JOBS = 100


async def show(visit: Visit) -> None:
    """Draw the page."""
    ask, memory = visit.ask, visit.memory
    performance = await ask(memory.performance)
    _speed(performance)
    with layout.grid():
        _decisions(performance)
        _calibration(await ask(memory.calibration))
    _learning(await ask(memory.behavior_metrics), await ask(memory.skill_history))
    later(partial(_rest, visit))


async def _rest(visit: Visit) -> None:
    await _experience(visit)
    with layout.grid():
        await _spending(visit)
        await _health(visit)


def _speed(found: Performance) -> None:
    with layout.card("How long it takes"):
        if found.since is None:
            layout.empty(
                "speed",
                "Nothing was asked yet",
                "Every call for you is timed from the start of the server on: remember something, "
                "ask something, and come back.",
            )
            return
        times.told("By this process, of the last 1,000 calls each, since", found.since)
        table(("Call", "Calls", "Errors", "p50", "p95", "p99"), shown.operations(found))
        if found.mean_tokens is not None:
            mean, most = f"{found.mean_tokens:,.0f}", f"{found.most_tokens:,}"
            html.p(f"A context took {mean} tokens, at most {most}.").classes("sw-soft")


def _decisions(found: Performance) -> None:
    with layout.card("What recall decided"):
        told = shown.decisions(found)
        if not told:
            layout.empty(
                "balance",
                "No questions yet",
                "Every answer says whether it can be asserted; here you see how often it could.",
            )
            return
        bars([Bar(words, share, count) for words, share, count in told])
        if found.mean_confidence is not None:
            html.p(f"On average {found.mean_confidence:.0%} sure.").classes("sw-soft sw-small")
        layout.told(
            "Whether an answer was the right one is known only for questions with known answers: "
            "`python -m evals locomo` measures Recall@K and NDCG on those."
        ).classes("sw-soft sw-small")


def _calibration(found: Calibration) -> None:
    with layout.card("Were we right?", "Facts that you confirmed, denied or decided between."):
        if not found.judged:
            layout.empty(
                "verified",
                "Nothing was judged yet",
                "Say of a fact that it is right or wrong, or settle a conflict: then it shows "
                "whether “90% sure” is right nine times in ten.",
            )
            return
        words = "; ".join(shown.calibration_words(found))
        chart(shown.calibration_chart(found), words, height=260)
        html.p(
            f"{count(found.judged, 'fact')} judged. "
            f"Expected calibration error {found.expected_error:.2f}, "
            f"Brier score {found.brier:.2f}; both are best at 0."
        ).classes("sw-soft sw-small")


def _learning(metrics: BehaviorMetrics, found: SkillHistory) -> None:
    about = f"From the last {found.choices:,} choices of a skill and {found.ratings:,} ratings."
    with layout.card("Does learning help?", about if found.choices else ""):
        if not found.choices:
            layout.empty(
                "thumbs_up_down",
                "No answers were rated yet",
                "Thumbs up or down below an answer tell which way of answering suits you.",
            )
            return
        with html.div().classes("sw-numbers"):
            for value, words in shown.learning(metrics, found):
                layout.number(value, words)
        with layout.grid():
            if found.hours:
                with layout.column():
                    html.h3("Liked by the hour (UTC)").classes("sw-strong")
                    chart(shown.hours_chart(found), shown.hours_words(found), height=200)
            if found.adaptation:
                with layout.column():
                    html.h3("Liked in each ten ratings").classes("sw-strong")
                    told = ", ".join(f"{one:.1f}" for one in found.adaptation)
                    chart(shown.adaptation_chart(found), f"From the first on: {told}", height=200)
        if slow := shown.slow_skills(found):
            with layout.details(f"Slow to choose, above {shown.SLOW_MS:g} ms ({len(slow)})"):
                for words in slow:
                    html.div(words).classes("sw-small")


async def _experience(visit: Visit) -> None:
    found = await visit.ask(visit.memory.experience_metrics)
    if not found.steps and not found.tasks:
        return
    with layout.card("Does experience help?"), html.div().classes("sw-numbers"):
        for value, words in experience.numbers(found):
            layout.number(value, words)


async def _spending(visit: Visit) -> None:
    found = await visit.ask(visit.memory.spending_by_day, shown.DAYS)
    with layout.card("Language models", f"Tokens and cost of the last {shown.DAYS} days."):
        if rows := shown.spending_rows(found):
            table(("Day", "Calls", "Tokens in", "Tokens out", "Cost"), rows)
        else:
            layout.empty(
                "savings",
                "No language model was called",
                "Everything works by rules; a model in the settings makes extraction better, and "
                "what it costs is listed here.",
            )


async def _health(visit: Visit) -> None:
    stats = await visit.ask(visit.memory.stats)
    jobs = await visit.ask(visit.memory.jobs, _JOBS)
    reuse = None
    if visit.may_admin:
        reuse = (await visit.ask(visit.memory.stats, all_users=True)).embedder_reuse
    with layout.card("Health"):
        layout.pairs(
            {
                "Memories": f"{stats.memories:,}",
                "Without a vector": f"{stats.awaiting_reembed:,}",
                "Texts embedded before": experience.percent(reuse) if reuse is not None else None,
                "Looking back failed": f"{stats.reflection_failures:,}",
                "File": f"{stats.file_bytes / 1e6:,.1f} MB",
                "Embedder": stats.embedder,
            }
        )
        if failed := shown.failed(jobs):
            html.h3("Jobs that failed").classes("sw-strong")
            table(("Job", "Why"), failed)
        else:
            html.p(f"None of the last {_JOBS} jobs failed.").classes("sw-soft sw-small")
