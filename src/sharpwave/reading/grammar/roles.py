"""What a clause is worth: said, asked, supposed or reported; and whether it is hedged."""

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from sharpwave.reading.grammar.lexicon import BE, DO, MODALS, words
from sharpwave.reading.grammar.tokens import Token


class Role(StrEnum):
    """What a clause is worth as a statement."""

    SAID = "said"
    ASKED = "asked"
    SUPPOSED = "supposed"
    """If, imagine, I wish: nobody says that it is so."""
    REPORTED = "reported"
    """What somebody else is said to have said."""
    JEST = "jest"


_SUBJECTS = words("i we my our he she they it this that there you these those his her")
_SUPPOSING = words(
    """if imagine suppose supposing pretend unless assuming wish hypothetically whether roleplay
    role-play role-playing roleplaying"""
)
_SUPPOSING_PAIRS = {("what", "if"), ("let", "us"), ("as", "if"), ("as", "though"), ("in", "case")}
_SAYING = words(
    """said says say told tells tell claims claimed mentioned heard hear thinks believes suggested
    insisted asked wrote swears swore reckons joked joking sings sang lyrics lyric song quote
    reads claim"""
)
_HEDGE_WORDS = words(
    """maybe perhaps probably possibly apparently supposedly presumably might likely unsure
    roughly-speaking guess"""
)
_HEDGE_PAIRS = {
    ("i", "think"),
    ("i", "guess"),
    ("i", "suppose"),
    ("i", "believe"),
    ("i", "assume"),
    ("i", "bet"),
    ("not", "sure"),
    ("sort", "of"),
    ("kind", "of"),
    ("i", "may"),
    ("could", "be"),
    ("may", "be"),
    ("seem", "to"),
    ("if", "anything"),
}


_FIRST = words("i we my our")


def roles_of(tokens: Sequence[Token], pieces: Sequence[tuple[int, int]], mark: str) -> list[Role]:
    """What each clause of a sentence that ends in this mark is worth."""
    roles: list[Role] = []
    supposed = asked = reported = False
    for place, (begin, end) in enumerate(pieces):
        low = [token.low for token in tokens[begin : min(end, begin + 12)]]
        if _is_supposed(low):
            supposed = True
        asked = asked or _is_inverted(low)
        if asked and (mark == "?" or _is_inverted(low)):
            roles.append(Role.ASKED)
        elif mark == "?" and (place == len(pieces) - 1 or _FIRST.isdisjoint(low[:3])):
            roles.append(Role.ASKED)
        elif supposed:
            roles.append(Role.SUPPOSED)
            supposed = not low or low[0] not in {"but", "however"}
        elif reported or _is_report(low):
            roles.append(Role.REPORTED)
            reported = True
        else:
            roles.append(Role.SAID)
    if Role.SUPPOSED in roles and _is_condition_of(tokens, pieces, roles):
        return [Role.SUPPOSED if role is Role.SAID else role for role in roles]
    return roles


def _is_condition_of(
    tokens: Sequence[Token], pieces: Sequence[tuple[int, int]], roles: Sequence[Role]
) -> bool:
    """True if what was said before hangs on the condition: "I would move if I could"."""
    condition = roles.index(Role.SUPPOSED)
    if any(tokens[pieces[condition][0]].low == word for word in ("wish", "whether")):
        return False
    before = [tokens[at].low for begin, end in pieces[:condition] for at in range(begin, end)]
    return bool({"would", "could", "might", "will"} & set(before))


def _is_supposed(low: Sequence[str]) -> bool:
    head = low[:4]
    if any(word in _SUPPOSING for word in head):
        # "I wonder if" asks; "I suppose" only hedges.
        return not (len(head) > 1 and head[0] == "i" and head[1] == "suppose")
    if (
        len(head) > 1
        and head[0] in _SUPPOSING_FIRST
        and head[1] in {"i", "my", "we", "that", "our"}
    ):
        return True
    if head[:1] == ["in"] and not _FICTION.isdisjoint(low[1:5]):
        return True
    return any(pair in _SUPPOSING_PAIRS for pair in pairwise(head))


_SUPPOSING_FIRST = words("say had assume were")
_FICTION = words("game story novel dream movie film book play campaign rpg song fic roleplay")


def _is_inverted(low: Sequence[str]) -> bool:
    """True for the order of a question: "do you", "where is", "any tips"."""
    while low and low[0] in {"and", "but", "so", "or", "also", "well", "oh", "then", ","}:
        low = low[1:]
    if len(low) < 2:
        return bool(low) and low[0] in {"why", "what", "how"}
    first, second = low[0], low[1]
    if first in {"what", "where", "who", "why", "how", "which", "whose"}:
        # "What a day", "how nice" exclaim, and "what I like is" says.
        return second not in {"a", "an", "i", "we", "nice", "cool", "great", "lovely"}
    if first == "any":
        return True
    return (first in DO or first in BE or first in MODALS or first in {"will", "have", "has"}) and (
        second in _SUBJECTS or second in {"not", "anyone", "someone", "the"}
    )


def _is_report(low: Sequence[str]) -> bool:
    """Speech of others, and what one has only heard."""
    if low[:2] == ["according", "to"] or low[:2] == ["the", "lyrics"]:
        return True
    for at, word in enumerate(low[:7]):
        if word in _SAYING and at:
            before = low[at - 1]
            if before in {"i", "we"} or "to" in low[at - 1 : at]:
                # "I heard that…" is hearsay; "I told her", "I said" are one's own words.
                return word in {"heard", "hear"} and "from" not in low
            return before not in {"my", "the", "a", "this", "that", "i", "have", "had", "favorite"}
    return False


def is_hedged(tokens: Sequence[Token], begin: int, end: int) -> bool:
    """True for "maybe", "I think", "sort of"."""
    low = [token.low for token in tokens[begin : min(end, begin + 14)]]
    if any(word in _HEDGE_WORDS for word in low):
        return True
    return any(pair in _HEDGE_PAIRS for pair in pairwise(low))


def is_only_a_hedge(tokens: Sequence[Token], piece: tuple[int, int]) -> bool:
    """True for "I think" alone: what follows it is hedged."""
    begin, end = piece
    return end - begin <= 4 and is_hedged(tokens, begin, end)
