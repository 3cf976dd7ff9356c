"""Phase 1 of reflection: standing instructions in a message, without a model [BEH-02…05].

vocabulary   the message            -> sentences, without what is quoted
marks        each sentence          -> how it opens, how long and where it holds
statements   what is left           -> a complaint or information
frames       what is left           -> an instruction
judging      all of it together     -> standing or for this answer only, its type and wording
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sharpwave.reading.steering import frames, marks, statements
from sharpwave.reading.steering.frames import Instruction
from sharpwave.reading.steering.judging import Piece, SteeringSetting, judged
from sharpwave.reading.steering.marks import MarkedClause, is_pronoun, is_task
from sharpwave.reading.steering.vocabulary import KNOWN, Sentence, Word, sentences, word, words
from sharpwave.types.steering import Signal

_SHORT = 6
"""Words of a sentence that is a mere reaction, as in "that's not what I wanted"."""
_PERSONAS = (("act", "as"), ("you", "are", "a"), ("you", "are", "an"), ("pretend",), ("imagine",))
_SAYING = words("said says say told asked wrote writes")
_OWN_WORDS = words("i you not to unless as when if")


def signals(message: str, previous: str | None = None) -> list[Signal]:
    """Standing instructions in the user's words; `previous` is the answer they may be about."""
    said = [one for one in sentences(message) if one.words]
    pieces = [piece for one in said for piece in _pieces(one)]
    if not any(piece.steers for piece in pieces):
        return []
    length = sum(len(one.words) for one in said)
    setting = SteeringSetting(length, _is_persona(said), _is_pure(pieces), previous)
    standing: list[Signal] = []
    last: Instruction | None = None
    corrects = False
    for piece in _merged(pieces):
        corrects = corrects or piece.marked.corrects
        instruction = piece.instruction and _resolved(piece.instruction, last)
        signal = judged(replace(piece, instruction=instruction), setting, corrects)
        if signal and signal.rule not in {one.rule for one in standing}:
            standing.append(signal)
        last = instruction or last
    return standing


# --- taking the message apart ---------------------------------------------------------------------


def _pieces(sentence: Sentence) -> Iterator[Piece]:
    """The clauses of a sentence that can steer, each with what surrounds it."""
    if _is_reported(sentence):
        return
    whole = marks.marked(sentence)
    if not whole.rest.words:
        yield Piece(whole)
        return
    for part in _split(whole.rest):
        each = marks.marked(whole.rest.of(part))
        yield _read(
            replace(
                whole,
                rest=each.rest,
                corrects=whole.corrects or each.corrects,
                informs=whole.informs or each.informs,
                standing=whole.standing or each.standing,
                once=whole.once or each.once,
                reach=max(whole.reach, each.reach, key=_REACHES.index),
            )
        )


_REACHES = (marks.Reach.GLOBAL, marks.Reach.PROJECT, marks.Reach.FILE)


def _split(rest: Sentence) -> list[tuple[Word, ...]]:
    """Cut at commas after which another instruction begins."""
    said = rest.words
    if rest.low[0] in {"be", "keep", "can", "could"}:
        for at, one in enumerate(said[2:-2], start=2):
            if one.low == "and" and said[at + 1].low in KNOWN - {"be"}:
                return [said[:at], said[at + 1 :]]
    if "," not in rest.low or rest.low[0] in {"when", "whenever", "if"}:
        return [said]
    if statements.remedy(said):
        comma = rest.low.index(",")
        return [said] if rest.low[0] == "i" else [said[:comma], said[comma + 1 :]]
    parts, begin = [], 0
    for at, one in enumerate(said):
        if one.low == "," and at + 1 < len(said) and _opens_clause(said[at + 1 :]):
            parts.append(said[begin:at])
            begin = at + 1
    return [part for part in (*parts, said[begin:]) if part]


def _opens_clause(said: Sequence[Word]) -> bool:
    low = said[0].low
    if low in {"and", "but", "so", "please"} and len(said) > 1:
        return _opens_clause(said[1:])
    if low in {"i", "you", "we", "our"}:
        return True
    instruction = frames.instruction(said)
    return instruction is not None and len(said) > 2


def _read(marked: MarkedClause) -> Piece:
    said = marked.rest.words
    if not said or _is_hypothetical(marked.rest.low):
        return Piece(marked)
    if remedy := statements.remedy(said):
        return Piece(marked, remedy=tuple(remedy))
    if fact := statements.known(marked.rest, marked.informs):
        return Piece(marked, fact=tuple(fact))
    instruction = frames.instruction(said)
    if not (instruction and instruction.prefers) and (wish := frames.wanted(said)):
        return Piece(marked, remedy=tuple(wish))
    return Piece(marked, instruction=instruction)


def _is_reported(sentence: Sentence) -> bool:
    """Words of another person, as in "…, my mom said" or "he told me to"."""
    low = sentence.low
    for at, one in enumerate(low):
        if one in _SAYING and at and low[at - 1] not in _OWN_WORDS:
            return True
    return False


def _is_hypothetical(low: Sequence[str]) -> bool:
    return low[0] in {"if", "suppose", "imagine", "unless"} and low[1:2] != ("you",)


def _is_persona(said: Sequence[Sentence]) -> bool:
    """A part that the assistant is to play in this conversation."""
    for one in said:
        low = one.low
        for phrase in _PERSONAS:
            size = len(phrase)
            if any(low[at : at + size] == phrase for at in range(min(8, len(low)))):
                return True
    return False


def _is_pure(pieces: Sequence[Piece]) -> bool:
    """True if no clause gives a task, asks something or narrates."""
    return all(_is_steering_or_reaction(piece) for piece in pieces)


def _is_steering_or_reaction(piece: Piece) -> bool:
    low = piece.marked.rest.low
    if piece.remedy or piece.fact:
        return True
    if piece.instruction is not None and piece.instruction.rest:
        return piece.marked.standing or piece.instruction.always or not is_task(piece.instruction)
    return len(low) <= _SHORT and not piece.marked.rest.asks


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    """Two halves of one rule made one: "don't add X everywhere. Only add them to Y"."""
    made: list[Piece] = []
    for piece in pieces:
        before = made[-1].instruction if made else None
        instruction = piece.instruction
        if before and instruction and before.negated and instruction.adverb == "only":
            if instruction.verb == before.verb and is_pronoun(instruction):
                object_, rest = _halves(before)
                said = (
                    *object_,
                    *instruction.rest[1:],
                    *([_COMMA, word("not"), *rest] if rest else []),
                )
                joined = replace(piece.marked, corrects=True)
                made[-1] = Piece(joined, replace(instruction, rest=said))
                continue
        made.append(piece)
    return made


_COMMA = Word(",", ",", apart=False)
_CLOSING = words("everywhere anywhere always in on to at for with when")


def _halves(instruction: Instruction) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """The object, and where or when: "type hints" and "everywhere"."""
    for at, one in enumerate(instruction.rest):
        if one.low in _CLOSING:
            return instruction.rest[:at], instruction.rest[at:]
    return instruction.rest, ()


def _resolved(instruction: Instruction, last: Instruction | None) -> Instruction:
    """Put the thing itself in the place of "them", if the clause before named it."""
    if (
        last is None
        or not is_pronoun(instruction)
        or not last.rest
        or instruction.rest[0].low != "them"
    ):
        return instruction
    object_, _ = _halves(last)
    return replace(instruction, rest=(*object_, *instruction.rest[1:]))
