"""The read path: the steps in their order, each in the file of its name.

    1 cue      the query               -> a checked question, its filter, the times it names
    2 named    the graph               -> other names of who is named, and records about them
    3 gather   the index               -> candidates by vector, keywords and neighbourhood;
                                          a shortlist, fused by reciprocal ranks of features
    4 score    features or formulas    -> the shortlist in order, every term kept;
                                          a reranker, if configured, reorders its head
    5 decide   signs of an answer      -> assert, hedge, clarify, verify, abstain; nothing at all
    6 choose   the best of them        -> k records, none twice, and the nearest misses;
                                          what no longer holds comes after what replaced it

`decide` comes before `choose`: if nothing is about the question, nothing is read. Afterwards it
only lowers its verdict, if what was chosen first was never confirmed by the user. Prompt text is
made of the result in `context_flow`.
A step never calls another step. Filters are applied inside the search, never after it.
"""

from sharpwave.formulas.bandit import position
from sharpwave.recall import choose, cue, decide, gather, named, score
from sharpwave.settings.weights import Weights
from sharpwave.types.answers import Recollection
from sharpwave.types.query import Question, RecallQuery
from sharpwave.types.searching import Gathered, Ranked
from sharpwave.workspace import Workspace


def recall(workspace: Workspace, query: RecallQuery) -> Recollection:
    """What this user's memory holds about a question, best first."""
    settings = workspace.settings.recall
    preset = workspace.shared.weights.preset_for(
        workspace.user_id, position(workspace.user_id, workspace.shared.weights.ab.name)
    )
    chosen = workspace.shared.weights.presets[preset]
    question = cue.understand(query, workspace.clock.now(), settings)
    with workspace.store.one_state():
        question, named_records = named.known(question, workspace)
    found, notes = gather.candidates(question, workspace, named_records)
    shortlist = gather.best(found.gathered, question.k)
    ranked = _rank(question, shortlist, workspace, chosen)
    ranked = score.reranked(question, ranked, workspace)
    verdict = decide.decide(ranked, chosen, settings, question.only_when)
    pick = choose.nothing if verdict.nothing else choose.read
    with workspace.store.one_state():
        picked = pick(ranked, question, workspace)
        items = choose.put_behind(picked, question, workspace)
        is_wrong = choose.is_taken_back(items, workspace.store)
    if chosen.features:  # the formulas have already counted the source
        verdict = decide.unconfirmed(verdict, picked.reliability, settings)
    verdict = decide.redacted(verdict, items[0].text if items else "")
    verdict = decide.taken_back(verdict) if is_wrong else verdict
    return Recollection(
        query=query.query,
        items=items,
        searched=found.searched,
        weights=preset,
        notes=(*notes, *picked.notes),
        decision=verdict.decision,
        confidence=verdict.confidence,
        rationale=verdict.rationale,
        signs=ranked.signs,
        left_out=picked.left_out,
    )


def _rank(
    question: Question,
    shortlist: Gathered,
    workspace: Workspace,
    weights: Weights,
) -> Ranked:
    """The shortlist in order, the way this preset does it."""
    if not weights.features:
        return score.by_formulas(question, shortlist, workspace, weights)
    worded = gather.read(question, shortlist, workspace)
    worded = score.toward_goal(question, worded, workspace)
    lift = score.ONLY_WHEN_LIFT if question.only_when else workspace.settings.recall.dated_lift
    return score.by_features(worded, score.weighed(worded, weights), lift)
