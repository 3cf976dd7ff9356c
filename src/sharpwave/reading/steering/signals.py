"""Phase 1 of reflection: standing instructions in a message, without a model [BEH-02…05].

vocabulary   the message            -> sentences, without quoted text
marks        each sentence          -> its opening, duration and scope
statements   the rest               -> a complaint or information
frames       the rest               -> an instruction
judging      all of it together     -> standing or for this answer only, its type and wording
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sharpwave.reading.steering import frames, marks, statements
from sharpwave.reading.steering.frames import Instruction
from sharpwave.reading.steering.judging import Piece, SteeringSetting, to_signal
from sharpwave.reading.steering.marks import MarkedClause, is_pronoun, is_task
from sharpwave.reading.steering.vocabulary import KNOWN, Sentence, Word, sentences, word, words
from sharpwave.types.steering import Signal

_REACTION_WORDS = 6
"""Maximum words of a mere reaction, as in "that's not what I wanted"."""
_PERSONAS = (("act", "as"), ("you", "are", "a"), ("you", "are", "an"), ("pretend",), ("imagine",))
_SAYING_VERBS = words("said says say told asked wrote writes")
_NO_OTHER_SPEAKER = words("i you not to unless as when if")


def signals(message: str, previous: str | None = None) -> list[Signal]:
    """Standing instructions in the user's words; `previous` is the answer they may refer to."""
    parsed = [sentence for sentence in sentences(message) if sentence.words]
    pieces = [piece for sentence in parsed for piece in _pieces(sentence)]
    if not any(piece.steers for piece in pieces):
        return []
    length = sum(len(sentence.words) for sentence in parsed)
    setting = SteeringSetting(length, _is_persona(parsed), _is_pure(pieces), previous)
    standing: list[Signal] = []
    last: Instruction | None = None
    corrects = False
    for piece in _merged(pieces):
        corrects = corrects or piece.marked.corrects
        instruction = piece.instruction and _resolved(piece.instruction, last)
        signal = to_signal(replace(piece, instruction=instruction), setting, corrects)
        if signal and signal.rule not in {known_signal.rule for known_signal in standing}:
            standing.append(signal)
        last = instruction or last
    return standing


# --- taking the message apart ---------------------------------------------------------------------


def _pieces(sentence: Sentence) -> Iterator[Piece]:
    """The clauses of a sentence that can steer, each with its marks."""
    if _is_reported(sentence):
        return
    whole = marks.without_marks(sentence)
    if not whole.rest.words:
        yield Piece(whole)
        return
    for part in _split(whole.rest):
        marked_part = marks.without_marks(whole.rest.of(part))
        yield _read(
            replace(
                whole,
                rest=marked_part.rest,
                corrects=whole.corrects or marked_part.corrects,
                informs=whole.informs or marked_part.informs,
                standing=whole.standing or marked_part.standing,
                once=whole.once or marked_part.once,
                reach=max(whole.reach, marked_part.reach, key=_REACHES.index),
            )
        )


_REACHES = (marks.Reach.GLOBAL, marks.Reach.PROJECT, marks.Reach.FILE)


def _split(rest: Sentence) -> list[tuple[Word, ...]]:
    """Cut at commas after which another instruction begins."""
    clause = rest.words
    if rest.low[0] in {"be", "keep", "can", "could"}:
        for at, token in enumerate(clause[2:-2], start=2):
            if token.low == "and" and clause[at + 1].low in KNOWN - {"be"}:
                return [clause[:at], clause[at + 1 :]]
    if "," not in rest.low or rest.low[0] in {"when", "whenever", "if"}:
        return [clause]
    if statements.remedy(clause):
        comma = rest.low.index(",")
        return [clause] if rest.low[0] == "i" else [clause[:comma], clause[comma + 1 :]]
    parts, begin = [], 0
    for at, token in enumerate(clause):
        if token.low == "," and at + 1 < len(clause) and _opens_clause(clause[at + 1 :]):
            parts.append(clause[begin:at])
            begin = at + 1
    return [part for part in (*parts, clause[begin:]) if part]


def _opens_clause(clause: Sequence[Word]) -> bool:
    low = clause[0].low
    if low in {"and", "but", "so", "please"} and len(clause) > 1:
        return _opens_clause(clause[1:])
    if low in {"i", "you", "we", "our"}:
        return True
    instruction = frames.instruction(clause)
    return instruction is not None and len(clause) > 2


def _read(marked: MarkedClause) -> Piece:
    clause = marked.rest.words
    if not clause or _is_hypothetical(marked.rest.low):
        return Piece(marked)
    if remedy := statements.remedy(clause):
        return Piece(marked, remedy=tuple(remedy))
    if fact := statements.practice(marked.rest, marked.informs):
        return Piece(marked, fact=tuple(fact))
    instruction = frames.instruction(clause)
    if not (instruction and instruction.prefers) and (wish := frames.wanted_answers(clause)):
        return Piece(marked, remedy=tuple(wish))
    return Piece(marked, instruction=instruction)


def _is_reported(sentence: Sentence) -> bool:
    """True for words of another person: "…, my mom said", "he told me to"."""
    low = sentence.low
    for at, written in enumerate(low):
        if written in _SAYING_VERBS and at and low[at - 1] not in _NO_OTHER_SPEAKER:
            return True
    return False


def _is_hypothetical(low: Sequence[str]) -> bool:
    return low[0] in {"if", "suppose", "imagine", "unless"} and low[1:2] != ("you",)


def _is_persona(parsed: Sequence[Sentence]) -> bool:
    """True if the assistant is given a role to play in this conversation."""
    for sentence in parsed:
        low = sentence.low
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
    return len(low) <= _REACTION_WORDS and not piece.marked.rest.asks


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    """Merge two halves of one rule: "don't add X everywhere. Only add them to Y"."""
    merged: list[Piece] = []
    for piece in pieces:
        previous = merged[-1].instruction if merged else None
        instruction = piece.instruction
        if previous and instruction and previous.negated and instruction.adverb == "only":
            if instruction.verb == previous.verb and is_pronoun(instruction):
                object_, rest = _split_object(previous)
                combined = (
                    *object_,
                    *instruction.rest[1:],
                    *([_COMMA, word("not"), *rest] if rest else []),
                )
                marks_of_both = replace(piece.marked, corrects=True)
                merged[-1] = Piece(marks_of_both, replace(instruction, rest=combined))
                continue
        merged.append(piece)
    return merged


_COMMA = Word(",", ",", space_before=False)
_AFTER_OBJECT = words("everywhere anywhere always in on to at for with when")


def _split_object(instruction: Instruction) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Split into the object and the place or time: "type hints" and "everywhere"."""
    for at, token in enumerate(instruction.rest):
        if token.low in _AFTER_OBJECT:
            return instruction.rest[:at], instruction.rest[at:]
    return instruction.rest, ()


def _resolved(instruction: Instruction, last: Instruction | None) -> Instruction:
    """Replace "them" by its referent, if the clause before named it."""
    if (
        last is None
        or not is_pronoun(instruction)
        or not last.rest
        or instruction.rest[0].low != "them"
    ):
        return instruction
    object_, _ = _split_object(last)
    return replace(instruction, rest=(*object_, *instruction.rest[1:]))
