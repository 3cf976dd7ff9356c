"""Step 3: what the turns say, by rules: facts, tasks, notes and names."""

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from sharpwave.errors import NotFound
from sharpwave.knowledge.draft import Extracted
from sharpwave.knowledge.predicates import NOTED, normal_name
from sharpwave.knowledge.settle_tasks import TASK as TASK
from sharpwave.ports import NameFinder, Reader, UserStore
from sharpwave.reading.entities import small_words
from sharpwave.reading.grammar.lexicon import (
    BE,
    DO,
    HAVE,
    NEGATIVE,
    NUMBERS,
    PRONOUNS,
    STOP,
    is_past,
    words,
)
from sharpwave.reading.grammar.reported import called, is_report
from sharpwave.reading.open_statements import stems
from sharpwave.reading.read import read
from sharpwave.reading.segments import own_words
from sharpwave.reading.sentences import itemised
from sharpwave.reading.task_moves import moves
from sharpwave.settings.core import RememberSettings
from sharpwave.temporal import expressions
from sharpwave.types.message import Confirmation, Message
from sharpwave.types.privacy import LABEL_OF
from sharpwave.types.records import ACTIVE, USER, Kind, Record, Role, Statement, Trust
from sharpwave.types.statements import (
    CORRECTION,
    Candidate,
    Extraction,
    Mode,
    Span,
    Spoken,
    Target,
    TargetRelation,
    TaskStatus,
    TimeSpan,
)
from sharpwave.types.storing import Mentioned, Stated

_LOG = logging.getLogger(__name__)
OUTRIGHT = "outright 1"
_LABELS = frozenset(LABEL_OF.values())
_CORRECTED = frozenset({Kind.FACT, Kind.TASK})
_READ_CHARS = 50_000
"""Characters of a message that rules read; a longer one is a file rather than talk."""
_BARE_CHARS = 200
"""A longer text without a letter is a table: nothing is said in it."""
_LETTER = re.compile(r"[^\W\d_]")
_LATIN_UP_TO = "\u024f"
UNREAD = "this script is hardly read: the words are stored, but no fact or task was found in them"
_ANSWERED_WITHIN = timedelta(days=1)
"""A turn may answer the one before for so long, and only in its session."""
_VALUE_WORDS = 4
"""Maximum number of words of a value that a correction puts into the known sentence."""


class ExtractedTurns(NamedTuple):
    """What the turns were found to say, and whom they mention."""

    heard: list[Extracted]
    mentions: list[Mentioned]
    note: str | None = None


class Surroundings(NamedTuple):
    """Context needed to read a turn."""

    before: Mapping[str | None, Record]
    """The last turn of each session so far."""
    own_names: frozenset[str]
    """The names under which the user speaks, in normal form."""
    called: frozenset[tuple[str, ...]] = frozenset()
    """What others call the user, each name as its words in lower case."""
    small: tuple[Mentioned, ...] = ()
    """Known names that turns without capitals write small."""
    corrected: Mapping[str, Record] = MappingProxyType({})
    """Records that the turns correct, by id."""


def surroundings(
    turns: Sequence[Record], told: Mapping[str, Message], store: UserStore
) -> Surroundings:
    """Look up what the turns need: most need nothing."""
    ids = sorted({one.corrects for one in told.values() if one.corrects is not None})
    known = {one.id: one for one in store.find(ids) if one.kind in _CORRECTED} if ids else {}
    if missing := [id_ for id_ in ids if id_ not in known]:
        raise NotFound(f"no fact or task {missing[0]!r} to correct; `facts` lists them")
    return _surroundings(turns, store)._replace(corrected=known)


def _surroundings(turns: Sequence[Record], store: UserStore) -> Surroundings:
    first: dict[str | None, Record] = {}
    for turn in turns:
        first.setdefault(turn.session_id, turn)
    before = {
        session: latest[-1]
        for session, turn in first.items()
        if turn.role is Role.USER and (latest := store.latest(session, 1))
    }
    small = tuple(_small_names(turns, store))
    if all(turn.speaker is None and not is_report(turn) for turn in turns):
        return Surroundings(before, frozenset(), small=small)
    known = [fact.statement.object for fact in store.stated(_NAMES) if fact.statement]
    own = frozenset(normal_name(name) for name in (store.user_id, *known))
    return Surroundings(before, own, called(known), small)


def _small_names(turns: Sequence[Record], store: UserStore) -> Iterator[Mentioned]:
    """Names that are known from before, in turns of people who write everything small."""
    for turn in turns:
        for word in small_words(turn.text) if _is_read(turn) else ():
            for record in store.fetch(store.mentioned(word, 1)):
                known = store.mentions([record.id])[record.id]
                yield from (one._replace(id=turn.id) for one in known if one.key == word)


def find(
    turns: Sequence[Record],
    told: Mapping[str, Message],
    context: Surroundings,
    settings: RememberSettings,
    reader: Reader | None = None,
    names: NameFinder | None = None,
) -> ExtractedTurns:
    """Everything the turns say, in order; `told` is each as the caller said it, by id.

    A turn whose source is not trusted stays quoted data: nothing is learned from it. `names` finds
    some that rules miss.
    """
    heard: list[Extracted] = []
    mentions: list[Mentioned] = []
    failed = 0
    last = dict(context.before)
    for turn in turns:
        try:
            given = told.get(turn.id)
            spoken = _spoken(turn, given, last.get(turn.session_id), context, settings)
            found = _said(turn, given, spoken, settings, reader)
            if given and (wrong := context.corrected.get(given.corrects or "")) is not None:
                found = found._replace(candidates=_instead_of(wrong, found.candidates, turn))
        except Exception:  # noqa: BLE001 - a bug in a rule must not lose the words that it read
            _LOG.exception("extraction failed")
            found, failed = Extraction(), failed + 1
        heard += [Extracted(_owned(one, turn, context.own_names), turn) for one in found.candidates]
        mentions += [
            Mentioned(turn.id, normal_name(name), name, kind)
            for name, kind, _ in found.mentions
            if f"[{name}]" not in _LABELS
        ]
        last[turn.session_id] = turn
    seen = {(one.id, one.key) for one in mentions}
    mentions += [one for one in context.small if (one.id, one.key) not in seen]
    if names is not None and settings.extract:
        mentions += _more_names([turn for turn in turns if _is_read(turn)], mentions, names)
    note = f"nothing was learned from {failed} of the messages: a rule failed" if failed else None
    return ExtractedTurns(heard, mentions, note)


def unread(turns: Sequence[Record], heard: Sequence[Extracted]) -> str | None:
    """A note if the user wrote in a script that is hardly read, and no fact or task was heard."""
    told = {one.turn.id for one in heard if not one.candidate.effect_only}
    for turn in turns:
        if turn.role is Role.USER and _is_read(turn) and turn.id not in told:
            letters = _LETTER.findall(turn.text[:_READ_CHARS])
            if 2 * sum(letter > _LATIN_UP_TO for letter in letters) > len(letters):
                return UNREAD
    return None


_NAMES = Stated(within=(f"{USER}|name|",), states=ACTIVE)


def _is_read(turn: Record) -> bool:
    return turn.kind is Kind.TURN and turn.provenance.trust > Trust.UNTRUSTED


def _more_names(
    turns: Sequence[Record], known: Sequence[Mentioned], names: NameFinder
) -> list[Mentioned]:
    """Names that the model finds besides; none if it fails."""
    try:
        found = names.find([turn.text for turn in turns])
    except Exception:  # noqa: BLE001 - whoever wrote it may raise anything, and no words may be lost
        _LOG.exception("no names were found by the model")
        return []
    seen = {(one.id, one.key) for one in known}
    made = [
        Mentioned(turn.id, normal_name(name), name, kind)
        for turn, each in zip(turns, found, strict=True)
        for name, kind, _ in each
        if f"[{name}]" not in _LABELS
    ]
    return [one for one in made if (one.id, one.key) not in seen]


def _said(
    turn: Record,
    told: Message | None,
    spoken: Spoken,
    settings: RememberSettings,
    reader: Reader | None,
) -> Extraction:
    if isinstance(told, Confirmation) and told.states:
        return Extraction((told.states,))
    if not _is_read(turn):
        return Extraction()
    if told and told.kind != Kind.TURN:
        return Extraction((_outright(turn, told),))
    text = turn.text[:_READ_CHARS]
    if not settings.extract or (len(text) > _BARE_CHARS and not _LETTER.search(text)):
        return Extraction()
    own = own_words(text)
    found = read(text, spoken, times_of(own, spoken.at), reader)
    return found._replace(candidates=(*moves(own), *found.candidates))


def _instead_of(wrong: Record, found: Sequence[Candidate], turn: Record) -> tuple[Candidate, ...]:
    """What puts a record right, and the rest: its own slot with another value, or the whole text.

    A slot that leaves words out is kept in these words. What a better source says is not put
    right: then all is read as ever, and a bare value as the sentence that it stands for.
    """
    if wrong.statement is None or not _is_read(turn):
        return tuple(found)
    text = " ".join(turn.text.split())
    target = Target(TargetRelation.CORRECTION, wrong.id, str(wrong.slot))
    whole = Candidate(
        wrong.kind, text, Span(0, len(turn.text)), 1.0, CORRECTION,
        statement=wrong.statement._replace(predicate=NOTED, object=text), target=target,
    )  # fmt: skip
    value, given = wrong.statement.object, _BEFORE_A_VALUE.sub("", text)
    named = given == text or given[:1].isupper() == value[:1].isupper()
    filled = _with_other_value(wrong.text, value, given) if named else None
    if filled is not None:
        sentence, other = filled
        stated = wrong.statement._replace(object=other)
        whole = replace(whole, text=sentence, statement=stated)
    if turn.provenance.trust < wrong.provenance.trust:
        return tuple(found) if found or filled is None else (replace(whole, target=None),)
    if wrong.kind is Kind.TASK:
        due = next((one.due for one in found if one.kind is Kind.TASK), None)
        return (replace(whole, statement=None, status=TaskStatus.ACTIVE, due=due),)
    same = [
        one
        for one in found
        if one.statement is not None
        and one.statement[:2] == wrong.statement[:2]
        and one.statement.predicate != NOTED
        and one.mode is not Mode.ENDED
    ]
    slots = [one for one in found if one.statement is None or one.statement.predicate != NOTED]
    if len(same) != 1:
        return (whole, *slots)
    (right,) = same
    wording = text if stems(text) - stems(right.text) else right.text
    held = replace(right, text=wording, confidence=1.0, extractor=CORRECTION, target=target)
    return (held, *(one for one in slots if one is not right))


_BEFORE_A_VALUE = re.compile(
    r"\A(?:(?:no|nope|actually|sorry|wrong|i meant?)[,;:!]\s+)*"
    r"(?:(?:(?:it|that|he|she)(?:['\u2019]s| is| was)"
    r"|(?:his|her|its|their|the)(?: \w+)? name is) )?",
    re.IGNORECASE,
)
"""As in "No, his name is Mr. Petrakis"."""


def _with_other_value(known: str, value: str, text: str) -> tuple[str, str] | None:
    """The known sentence with the value of a text, which is that sentence, its end or a value.

    >>> _with_other_value("The user lives in Lisbon", "Lisbon", "The user lives in Porto.")
    ('The user lives in Porto', 'Porto')
    >>> _with_other_value("Rex is 4 years old", "4", "5 years")
    ('Rex is 5 years old', '5')
    >>> _with_other_value("The user lives in Lisbon", "Lisbon", "Not any more")
    """
    before, _, after = known.rpartition(value)
    text = text.rstrip(" .!")
    ends = (before[at:] for at in range(len(before)) if before[at - 1 : at] in ("", " "))
    starts = (after[:at] for at in range(len(after), 0, -1) if after[at : at + 1] in ("", " "))
    ahead = next((one for one in ends if text.startswith(one)), "")
    behind = next((one for one in starts if text.endswith(one)), "")
    other = text[len(ahead) : len(text) - len(behind)]
    if not before or (ahead and behind != after) or not 0 < len(other.split()) <= _VALUE_WORDS:
        return None
    is_sentence = ahead == before
    return (f"{before}{other}{after}", other) if is_sentence or _is_value(other, value) else None


def _is_value(said: str, known: str) -> bool:
    """Whether a few words name something, as a known value does, rather than speak of it."""
    low = [word.strip(",;:\"'") for word in said.lower().split()]
    if said.endswith("?") or _NO_VALUE.intersection(low):
        return False
    if known.isdigit():
        return low[0] in NUMBERS or low[0].isdigit()
    return any(word not in STOP and not is_past(word) for word in low)


_NO_VALUE = NEGATIVE | PRONOUNS | BE | HAVE | DO | words("wrong false right correct true yes")


def _owned(candidate: Candidate, turn: Record, own: frozenset[str]) -> Candidate:
    """Make a task that another speaker states one of that speaker."""
    speaker = _speaker(turn, own)
    if candidate.kind is not Kind.TASK or candidate.statement or speaker == USER:
        return candidate
    return replace(candidate, statement=Statement(speaker, TASK, candidate.text))


def _outright(turn: Record, told: Message) -> Candidate:
    """What the caller says that the words are: a task or a note."""
    span = Span(0, len(turn.text))
    if told.kind == Kind.NOTE:
        return Candidate(Kind.NOTE, turn.text, span, 1.0, OUTRIGHT)
    active = TaskStatus.ACTIVE
    return Candidate(Kind.TASK, turn.text, span, 1.0, OUTRIGHT, status=active, due=told.due)


def _spoken(
    turn: Record,
    told: Message | None,
    before: Record | None,
    context: Surroundings,
    settings: RememberSettings,
) -> Spoken:
    """Who spoke, to whom, and when by his or her own clock: "tomorrow" depends on it.

    Words of a tool or a web page before it are not what it answers.
    """
    own_clock = told.at if told and told.at else turn.valid_from.astimezone(settings.zone)
    speaker, names = _speaker(turn, context.own_names), context.called if is_report(turn) else None
    if before is not None and not _may_answer(turn, before):
        before = None
    trusted = before is not None and before.provenance.trust > Trust.UNTRUSTED
    previous = before.text if before is not None and trusted else None
    own = before is not None and _speaker(before, context.own_names) == speaker
    before_id = before.id if before is not None else None
    return Spoken(speaker, own_clock, _listener(turn), previous, names, own, before_id)


def _may_answer(turn: Record, before: Record) -> bool:
    same = turn.session_id == before.session_id
    return same and timedelta(0) <= turn.valid_from - before.valid_from <= _ANSWERED_WITHIN


def _speaker(turn: Record, own: frozenset[str]) -> str:
    """The subject of what is said in the first person."""
    name = turn.speaker
    if turn.role is Role.USER and (name is None or normal_name(name) in own):
        return USER
    return name or str(turn.role)


def _listener(turn: Record) -> str | None:
    return USER if turn.role is Role.ASSISTANT else None


def times_of(text: str, at: datetime) -> list[TimeSpan]:
    """The times that a text names: none goes on from one item of a list to the next."""
    return [
        TimeSpan(
            Span(line.start() + one.span.start, line.start() + one.span.end),
            _utc(one.start),
            _utc(one.end),
            one.relation.value,
        )
        for line in _LINE.finditer(itemised(text))
        for one in expressions.find(line[0], at)
        if one.start is not None or one.end is not None
    ]


_LINE = re.compile(r"[^\n]+")


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)
