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
from sharpwave.reading.grammar.reported import is_report, name_forms
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
"""Maximum number of characters of a message that rules read; longer ones are files, not talk."""
_TABLE_CHARS = 200
"""A longer text without a letter is a table, of which nothing is read."""
_LETTER = re.compile(r"[^\W\d_]")
_LATIN_UP_TO = "\u024f"
UNREAD = "this script is hardly read: the words are stored, but no fact or task was found in them"
_ANSWERED_WITHIN = timedelta(days=1)
"""Maximum time after which a turn may answer the one before it, in the same session."""
_VALUE_WORDS = 4
"""Maximum number of words of a value that a correction puts into the known sentence."""


class ExtractedTurns(NamedTuple):
    """What the turns say, and the names that they mention."""

    extracted: list[Extracted]
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
    """Known names that turns without capitals write in lower case."""
    corrected: Mapping[str, Record] = MappingProxyType({})
    """Records that the turns correct, by id."""


def surroundings(
    turns: Sequence[Record], messages: Mapping[str, Message], store: UserStore
) -> Surroundings:
    """The context needed to read the turns; most need none."""
    ids = sorted(
        {message.corrects for message in messages.values() if message.corrects is not None}
    )
    known = (
        {record.id: record for record in store.find(ids) if record.kind in _CORRECTED}
        if ids
        else {}
    )
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
    names = [fact.statement.object for fact in store.stated(_NAMES) if fact.statement]
    own_names = frozenset(normal_name(name) for name in (store.user_id, *names))
    return Surroundings(before, own_names, name_forms(names), small)


def _small_names(turns: Sequence[Record], store: UserStore) -> Iterator[Mentioned]:
    """Known names that turns without capitals mention in lower case."""
    for turn in turns:
        for word in small_words(turn.text) if _is_read(turn) else ():
            for record in store.fetch(store.mentioned(word, 1)):
                known = store.mentions([record.id])[record.id]
                yield from (
                    mention._replace(id=turn.id) for mention in known if mention.key == word
                )


def find(
    turns: Sequence[Record],
    messages: Mapping[str, Message],
    context: Surroundings,
    settings: RememberSettings,
    reader: Reader | None = None,
    names: NameFinder | None = None,
) -> ExtractedTurns:
    """Everything the turns say, in order; `messages` are the caller's, by id of the turn.

    A turn from an untrusted source stays quoted data: nothing is learned from it. `names` finds
    some that rules miss.
    """
    extracted: list[Extracted] = []
    mentions: list[Mentioned] = []
    failed = 0
    last = dict(context.before)
    for turn in turns:
        try:
            message = messages.get(turn.id)
            spoken = _spoken(turn, message, last.get(turn.session_id), context, settings)
            found = _extraction(turn, message, spoken, settings, reader)
            if message and (corrected := context.corrected.get(message.corrects or "")) is not None:
                found = found._replace(candidates=_corrected(corrected, found.candidates, turn))
        except Exception:  # noqa: BLE001 - a bug in a rule must not lose the words that it read
            _LOG.exception("extraction failed")
            found, failed = Extraction(), failed + 1
        extracted += [
            Extracted(_with_speaker(candidate, turn, context.own_names), turn)
            for candidate in found.candidates
        ]
        mentions += [
            Mentioned(turn.id, normal_name(name), name, kind)
            for name, kind, _ in found.mentions
            if f"[{name}]" not in _LABELS
        ]
        last[turn.session_id] = turn
    seen = {(mention.id, mention.key) for mention in mentions}
    mentions += [mention for mention in context.small if (mention.id, mention.key) not in seen]
    if names is not None and settings.extract:
        mentions += _names_by_model([turn for turn in turns if _is_read(turn)], mentions, names)
    note = f"nothing was learned from {failed} of the messages: a rule failed" if failed else None
    return ExtractedTurns(extracted, mentions, note)


def unread(turns: Sequence[Record], extracted: Sequence[Extracted]) -> str | None:
    """A note if the user wrote in a script that rules hardly read, and nothing was found."""
    learned_from = {item.turn.id for item in extracted if not item.candidate.effect_only}
    for turn in turns:
        if turn.role is Role.USER and _is_read(turn) and turn.id not in learned_from:
            letters = _LETTER.findall(turn.text[:_READ_CHARS])
            if 2 * sum(letter > _LATIN_UP_TO for letter in letters) > len(letters):
                return UNREAD
    return None


_NAMES = Stated(within=(f"{USER}|name|",), states=ACTIVE)


def _is_read(turn: Record) -> bool:
    return turn.kind is Kind.TURN and turn.provenance.trust > Trust.UNTRUSTED


def _names_by_model(
    turns: Sequence[Record], known: Sequence[Mentioned], names: NameFinder
) -> list[Mentioned]:
    """Further names that the model finds; none if it fails."""
    try:
        found = names.find([turn.text for turn in turns])
    except Exception:  # noqa: BLE001 - a model may raise anything, and no words may be lost
        _LOG.exception("no names were found by the model")
        return []
    seen = {(mention.id, mention.key) for mention in known}
    mentions = [
        Mentioned(turn.id, normal_name(name), name, kind)
        for turn, in_text in zip(turns, found, strict=True)
        for name, kind, _ in in_text
        if f"[{name}]" not in _LABELS
    ]
    return [mention for mention in mentions if (mention.id, mention.key) not in seen]


def _extraction(
    turn: Record,
    message: Message | None,
    spoken: Spoken,
    settings: RememberSettings,
    reader: Reader | None,
) -> Extraction:
    if isinstance(message, Confirmation) and message.states:
        return Extraction((message.states,))
    if not _is_read(turn):
        return Extraction()
    if message and message.kind != Kind.TURN:
        return Extraction((_from_caller(turn, message),))
    text = turn.text[:_READ_CHARS]
    if not settings.extract or (len(text) > _TABLE_CHARS and not _LETTER.search(text)):
        return Extraction()
    text_without_quotes = own_words(text)
    found = read(text, spoken, times_of(text_without_quotes, spoken.at), reader)
    return found._replace(candidates=(*moves(text_without_quotes), *found.candidates))


def _corrected(wrong: Record, found: Sequence[Candidate], turn: Record) -> tuple[Candidate, ...]:
    """The candidates with a correction of the record: a new value in its slot, or the whole text.

    A slot that leaves words out is kept in these words. What a better source says is not
    corrected: then all is read as usual, and a bare value as the sentence that it stands for.
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
        sentence, new_value = filled
        stated = wrong.statement._replace(object=new_value)
        whole = replace(whole, text=sentence, statement=stated)
    if turn.provenance.trust < wrong.provenance.trust:
        return tuple(found) if found or filled is None else (replace(whole, target=None),)
    if wrong.kind is Kind.TASK:
        due = next((candidate.due for candidate in found if candidate.kind is Kind.TASK), None)
        return (replace(whole, statement=None, status=TaskStatus.ACTIVE, due=due),)
    same = [
        candidate
        for candidate in found
        if candidate.statement is not None
        and candidate.statement[:2] == wrong.statement[:2]
        and candidate.statement.predicate != NOTED
        and candidate.mode is not Mode.ENDED
    ]
    slots = [
        candidate
        for candidate in found
        if candidate.statement is None or candidate.statement.predicate != NOTED
    ]
    if len(same) != 1:
        return (whole, *slots)
    (right,) = same
    wording = text if stems(text) - stems(right.text) else right.text
    corrected = replace(right, text=wording, confidence=1.0, extractor=CORRECTION, target=target)
    return (corrected, *(candidate for candidate in slots if candidate is not right))


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
    prefix = next((end for end in ends if text.startswith(end)), "")
    suffix = next((start for start in starts if text.endswith(start)), "")
    new_value = text[len(prefix) : len(text) - len(suffix)]
    if not before or (prefix and suffix != after) or not 0 < len(new_value.split()) <= _VALUE_WORDS:
        return None
    is_sentence = prefix == before
    return (
        (f"{before}{new_value}{after}", new_value)
        if is_sentence or _is_value(new_value, value)
        else None
    )


def _is_value(text: str, known: str) -> bool:
    """Whether a few words name something, as a known value does, rather than talk about it."""
    lowercase = [word.strip(",;:\"'") for word in text.lower().split()]
    if text.endswith("?") or _NO_VALUE.intersection(lowercase):
        return False
    if known.isdigit():
        return lowercase[0] in NUMBERS or lowercase[0].isdigit()
    return any(word not in STOP and not is_past(word) for word in lowercase)


_NO_VALUE = NEGATIVE | PRONOUNS | BE | HAVE | DO | words("wrong false right correct true yes")


def _with_speaker(candidate: Candidate, turn: Record, own_names: frozenset[str]) -> Candidate:
    """The candidate; a task that another speaker states belongs to that speaker."""
    speaker = _speaker(turn, own_names)
    if candidate.kind is not Kind.TASK or candidate.statement or speaker == USER:
        return candidate
    return replace(candidate, statement=Statement(speaker, TASK, candidate.text))


def _from_caller(turn: Record, message: Message) -> Candidate:
    """The message as the task or note that the caller declares it to be."""
    span = Span(0, len(turn.text))
    if message.kind == Kind.NOTE:
        return Candidate(Kind.NOTE, turn.text, span, 1.0, OUTRIGHT)
    active = TaskStatus.ACTIVE
    return Candidate(Kind.TASK, turn.text, span, 1.0, OUTRIGHT, status=active, due=message.due)


def _spoken(
    turn: Record,
    message: Message | None,
    before: Record | None,
    context: Surroundings,
    settings: RememberSettings,
) -> Spoken:
    """Who spoke, to whom, and when by their own clock: "tomorrow" depends on it.

    A turn does not answer the words of a tool or a web page before it.
    """
    own_clock = message.at if message and message.at else turn.valid_from.astimezone(settings.zone)
    speaker, names = _speaker(turn, context.own_names), context.called if is_report(turn) else None
    if before is not None and not _can_answer(turn, before):
        before = None
    trusted = before is not None and before.provenance.trust > Trust.UNTRUSTED
    previous = before.text if before is not None and trusted else None
    is_own_reply = before is not None and _speaker(before, context.own_names) == speaker
    before_id = before.id if before is not None else None
    return Spoken(speaker, own_clock, _listener(turn), previous, names, is_own_reply, before_id)


def _can_answer(turn: Record, before: Record) -> bool:
    same = turn.session_id == before.session_id
    return same and timedelta(0) <= turn.valid_from - before.valid_from <= _ANSWERED_WITHIN


def _speaker(turn: Record, own_names: frozenset[str]) -> str:
    """The subject of what is said in the first person."""
    name = turn.speaker
    if turn.role is Role.USER and (name is None or normal_name(name) in own_names):
        return USER
    return name or str(turn.role)


def _listener(turn: Record) -> str | None:
    return USER if turn.role is Role.ASSISTANT else None


def times_of(text: str, at: datetime) -> list[TimeSpan]:
    """The times that a text names; none spans two items of a list."""
    return [
        TimeSpan(
            Span(line.start() + expression.span.start, line.start() + expression.span.end),
            _utc(expression.start),
            _utc(expression.end),
            expression.relation.value,
        )
        for line in _LINE.finditer(itemised(text))
        for expression in expressions.find(line[0], at)
        if expression.start is not None or expression.end is not None
    ]


_LINE = re.compile(r"[^\n]+")


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)
