"""Memory: the facade. Eight verbs; everything else is a method of a namespace in `api`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sharpwave import checks, wiring
from sharpwave.api import verbs
from sharpwave.api.state import MemoryState
from sharpwave.errors import InvalidInput
from sharpwave.messages import to_messages, to_query, to_structure
from sharpwave.ports import LLM, Clock, Embedder, IntentModel
from sharpwave.settings import Settings
from sharpwave.types.answers import Forgotten, Receipt, Recollection
from sharpwave.types.message import Message
from sharpwave.types.query import RecallQuery
from sharpwave.types.records import Kind, Role
from sharpwave.types.storing import Selection
from sharpwave.types.structured import GivenFacts, GivenRules, GivenTasks

if TYPE_CHECKING:
    from sharpwave.api.admin import AdminApi
    from sharpwave.api.agents import AgentsApi
    from sharpwave.api.behavior import BehaviorApi
    from sharpwave.api.facts import FactsApi
    from sharpwave.api.graph import GraphApi
    from sharpwave.api.skills import SkillsApi
    from sharpwave.api.tasks import TasksApi
    from sharpwave.types.contexts import Context
    from sharpwave.types.known import Explanation
    from sharpwave.types.skills import FeedbackReceipt, SkillChoice
    from sharpwave.types.sleep import Report

CONTEXT_ITEMS = 48
"""Number of records recalled for a context: more than fit a usual budget, to choose from."""
MAX_CONTEXT_TOKENS = 1_000_000

MessageInput = str | Message | Mapping[str, object]
QueryInput = str | RecallQuery | Mapping[str, object]


class Memory:
    """The memory of one user. Open it with `Memory.open`, close it when done.

    `remember` stores messages, `recall` searches them, `context` assembles a prompt, `feedback`
    rates answers, `sleep` consolidates; also `forget`, `explain` and `export`. Everything else is
    in a namespace: `facts`, `tasks`, `behavior`, `skills`, `agents`, `graph` and `admin`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Memory.open(f"{folder}/m.db") as memory:
    ...     receipt = memory.remember("My sister Ana lives in Porto.")
    ...     [outcome.text for outcome in receipt.learned]
    ...     memory.recall("Where does Ana live?").items[0].text
    ["The user's sister is Ana", 'Ana lives in Porto']
    'Ana lives in Porto'
    """

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        user: str | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        llm: LLM | None = None,
        intent_model: IntentModel | None = None,
    ) -> Self:
        """Open or create a memory: a file, or a database at `postgresql://role@host/name`.

        `path` overrides the settings; without either, a file in your data folder is used. `clock`,
        `embedder`, `llm` and `intent_model` are any objects with the methods of their port.
        """
        chosen = settings or wiring.load_settings()
        if path is not None:
            chosen = wiring.at_place(chosen, path)
        resources = wiring.open_resources(chosen, clock, embedder, llm, intent_model)
        try:
            return cls(MemoryState.of(resources, chosen.user if user is None else user))
        except BaseException:  # passed on; only the open file must not be left behind
            resources.store.close()
            raise

    @classmethod
    def connect(cls, url: str, key: str, *, user: str | None = None) -> Self:
        """Connect to a Sharpwave server (`sharpwave serve`): the same methods and results.

        The API key determines the user; `user` selects another, which needs an admin key.
        """
        from sharpwave.client import client

        return client.connect(cls, url, key, user)

    def user(self, user: str) -> Self:
        """The memory of another user in the same file. Closing one closes all.

        Names are compared in Unicode normal form C: composed and decomposed spellings are equal.
        """
        return type(self)(self._state.for_user(user))

    @property
    def user_id(self) -> str:
        """The name of the user."""
        return self._state.user_id

    # ---- the verbs

    def remember(
        self,
        messages: MessageInput | Sequence[MessageInput],
        *,
        role: str = "user",
        speaker: str | None = None,
        session: str | None = None,
        at: datetime | None = None,
        idempotency_key: str | None = None,
        wait: bool = False,
        facts: GivenFacts = (),
        tasks: GivenTasks = (),
        rules: GivenRules = (),
    ) -> Receipt:
        """Store messages, and learn from them. When this returns, they survive a power cut.

        A message is a text, a `Message`, a chat message such as
        `{"role": "user", "content": "..."}`, or a list of these. The other arguments are defaults
        for fields that a message does not set. Calling again with the same `idempotency_key` stores
        nothing twice. If a language model is configured it reads the messages later, in the
        background; with `wait` it reads them before this returns.

        `facts`, `tasks` and `rules` are what the caller extracted from the messages, such as
        `facts=[{"text": "The user's dog is 11", "quote": "my dog turned 11"}]`. Each is stored as
        the caller's claim; with a `quote` of the user's words, as the user's statement.
        """
        defaults = Message("", role, speaker, at, session, idempotency_key=idempotency_key)
        state, process = self._state, self._state.process
        with process.metrics.timed(state.user_id, "remember", state.resources.clock):
            parsed = to_messages(messages, defaults)
            structure = to_structure(facts, tasks, rules)
            workspace = state.workspace()
            if wait and workspace.llm is not None:
                from sharpwave import worker

                with process.worker.paused():
                    receipt = verbs.remember(workspace, parsed, state, structure)
                    return worker.wait_for(workspace, receipt)
            receipt = verbs.remember(workspace, parsed, state, structure)
            if workspace.llm is not None:
                process.worker.wake()
            return receipt

    def recall(
        self,
        query: QueryInput,
        *,
        k: int | None = None,
        kinds: Collection[Kind | str] = (),
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        roles: Collection[Role | str] = (),
        goal: str | None = None,
    ) -> Recollection:
        """Search the memory: the best matches first, with the reasons for each.

        `kinds`, `session`, `since` (inclusive), `until` (exclusive) and `roles` are filters; the
        times are those at which something was said. `goal` is your purpose beyond the query. The
        `decision` says whether the answer can be asserted. A query can also require tags, or words
        that a match must contain:
        `{"query": "Where is the key?", "tags": ["home"], "words": ["safe"]}`.
        """
        state = self._state
        with state.process.metrics.timed(state.user_id, "recall", state.resources.clock):
            parsed = to_query(query, RecallQuery("", k, kinds, session, since, until, goal, roles))
            answer = verbs.recall(state.workspace(), parsed)
        state.process.metrics.recalled(state.user_id, answer, state.resources.clock.now())
        return answer

    def context(
        self,
        query: QueryInput,
        *,
        budget: int | None = None,
        system: str = "",
        k: int | None = None,
        trusted_only: bool = False,
        scope: str | None = None,
        skill: SkillChoice | bool = False,
        except_session: str | None = None,
    ) -> Context:
        """Assemble text for a prompt: profile, goals, notes, and memories relevant to the query.

        `budget` is the maximum number of tokens, `system` your own instructions at the start; if
        these do not fit, InvalidInput says how many tokens they take. Stored text is quoted with
        its source between two lines with a code, as data and not as instructions.
        `trusted_only` excludes what a tool, a web page or an import said. The user's rules are
        shown as instructions; `scope` is the project or file whose rules apply. `skill` is the
        choice of `skills.select` for the query, or True to choose now; it is the `choice` of the
        result, to be rated by `feedback(context.choice.message_id, …)`.
        `except_session` excludes a conversation that the prompt already contains.
        """
        from sharpwave.knowledge import provenance
        from sharpwave.recall import context_flow
        from sharpwave.types.skills import SkillChoice

        state, metrics = self._state, self._state.process.metrics
        with metrics.timed(state.user_id, "context", state.resources.clock):
            checked = None if budget is None else checks.count(budget, "budget", MAX_CONTEXT_TOKENS)
            workspace = state.workspace()
            limit = CONTEXT_ITEMS if k is None else k
            recall_limit = limit if except_session is None else provenance.overfetch(limit)
            recollection = verbs.recall(workspace, to_query(query, RecallQuery("", recall_limit)))
            if trusted_only:
                recollection = provenance.without_untrusted(recollection)
            if except_session is not None:
                recollection = provenance.outside_session(recollection, except_session, limit)
            choice = self.skills.select(recollection.query) if skill is True else skill or None
            if not isinstance(choice, SkillChoice | None):
                raise InvalidInput("skill is what `skills.select` returned, or True to choose now")
            with workspace.store.one_state():
                background = verbs.background(workspace, system, scope)
            if choice:
                background = replace(background, skill=choice.template)
            result = context_flow.context(recollection, background, checked, workspace)
        now = state.resources.clock.now()
        metrics.recalled(state.user_id, recollection, now)
        metrics.assembled(state.user_id, result.tokens, now)
        return replace(result, choice=choice)

    def forget(self, *ids: str, session: str | None = None, everything: bool = False) -> Forgotten:
        """Erase records by id, a session, or all data of this user, without a trace.

        Unknown ids raise NotFound and nothing is forgotten. In a large file `traces_cleared` of the
        receipt may be False: then unused parts of the file hold old copies until `admin.scrub`.
        """
        from sharpwave.experience import forgetting

        if not ids and session is None and not everything:
            raise InvalidInput("say what to forget: ids, a session, or everything=True")
        if bool(ids) + (session is not None) + everything > 1:
            raise InvalidInput("forget either ids, a session, or everything: one at a time")
        workspace = self._state.workspace()
        wanted = tuple(checks.name(id_, "an id") for id_ in ids)
        selection = Selection(wanted, checks.optional_name(session, "session"), everything)
        if everything:
            self._state.process.metrics.forget(workspace.user_id)
        return forgetting.forget(workspace, selection)

    def explain(self, id: str) -> Explanation:
        """Where a memory comes from: its evidence, and the records derived from it."""
        from sharpwave.knowledge import provenance

        return provenance.explain(self._state.workspace(), id)

    def feedback(
        self,
        message_id: str,
        reward: float,
        reason: str | None = None,
        free_text: str | None = None,
        skill: str | None = None,
        implicit: bool = False,
    ) -> FeedbackReceipt:
        """Rate an answer: 1, 0 or -1, with a reason and a short comment.

        `message_id` is that of the `SkillChoice`, or the id of the stored message or of the
        answer to it. The rating takes effect at once; the comment is read in the background. A
        second rating of the same message replaces the first. `implicit` is for a reaction instead
        of a rating, from -1 to 1: it counts less, and never overrides a rating.
        """
        from sharpwave.behavior.feedback import ratings

        workspace = self._state.workspace()
        rating = ratings.FeedbackInput(message_id, reward, reason, free_text, skill, implicit)
        receipt = ratings.add(workspace, rating)
        self._state.process.skill_metrics().log_if_due(workspace)
        return receipt

    def sleep(self, *, heavy: bool | None = None, dry_run: bool = False) -> Report:
        """Consolidate this user's memory now, and report what was done and why.

        `heavy` also runs the weekly phases; by default when they are due. With `dry_run` nothing is
        written: the report says what would be done. Raises Busy if another worker is consolidating
        this user.
        """
        from sharpwave.sleep import cycle

        return cycle.sleep(self._state.workspace(), heavy, dry_run)

    def export(self) -> Iterator[str]:
        """All data of this user as JSON lines; `admin.import_(lines, own=True)` restores it.

        If damaged records had to be omitted, StoreDamaged is raised after the last line.
        """
        return verbs.export(self._state.workspace())

    # ---- the namespaces

    @property
    def facts(self) -> FactsApi:
        """Facts over time: profile, history, conflicts."""
        from sharpwave.api.facts import FactsApi

        return FactsApi(self._state)

    @property
    def tasks(self) -> TasksApi:
        """Tasks and open loops."""
        from sharpwave.api.tasks import TasksApi

        return TasksApi(self._state)

    @property
    def behavior(self) -> BehaviorApi:
        """Rules, preferences and notes about how to help the user."""
        from sharpwave.api.behavior import BehaviorApi

        return BehaviorApi(self._state)

    @property
    def skills(self) -> SkillsApi:
        """Skills (ways to answer), style, and what was learned from feedback."""
        from sharpwave.api.skills import SkillsApi

        return SkillsApi(self._state)

    @property
    def agents(self) -> AgentsApi:
        """Work of agents, and advice from it: tools, patterns, insights."""
        from sharpwave.api.agents import AgentsApi

        return AgentsApi(self._state)

    @property
    def graph(self) -> GraphApi:
        """People, things and their relations."""
        from sharpwave.api.graph import GraphApi

        return GraphApi(self._state)

    @property
    def admin(self) -> AdminApi:
        """Stored records, consent, import, jobs, events and maintenance."""
        from sharpwave.api.admin import AdminApi

        return AdminApi(self._state)

    # ---- closing

    def close(self) -> None:
        """Finish writing and close the file, for all of its users."""
        resources = self._state.resources
        with ExitStack() as last_first:  # whatever fails, the file is closed
            last_first.callback(resources.store.close)
            last_first.callback(resources.index.close)
            if resources.publisher is not None:
                last_first.callback(resources.publisher.close)
            if resources.close_connections is not None:
                last_first.callback(resources.close_connections)
            last_first.callback(self._state.process.worker.close)

    def __enter__(self) -> Self:
        """Use as a context manager."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Close."""
        self.close()
