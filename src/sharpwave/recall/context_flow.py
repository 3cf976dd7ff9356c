"""What was recalled into a prompt.

1 shortened, gists  what was recalled  -> what may be shown of summaries and of turns
2 assemble          all that is known  -> one text for a prompt, under a budget
"""

import math
import re
from collections.abc import Sequence, Set
from dataclasses import replace

from sharpwave.ports import UserStore
from sharpwave.reading.grammar.lexicon import STOP, load_cues, meaning_words, spaced, words
from sharpwave.reading.segments import own_words
from sharpwave.reading.sentences import whole_sentences
from sharpwave.recall import assemble
from sharpwave.types.answers import Decision, Recalled, Recollection
from sharpwave.types.contexts import Background, Context, KeySentence
from sharpwave.types.records import NOT_ENDED, Kind
from sharpwave.workspace import Workspace

PROFILE_FACTS = assemble.PROFILE_TOKENS // assemble.PROFILE_FACT_TOKENS
GOALS_SHOWN = assemble.GOALS_TOKENS // assemble.GOAL_TOKENS
"""The most facts and tasks that could fit; more are not shown."""
SUMMARY_LINES = 2
"""Most sentences of one summary shown."""
KEPT_SHARE = 0.6
"""Share of a sentence's words in something learned, from which on that was learned from it."""
UNKEPT = 0.1
"""What a sentence tells from which nothing was learned, beside others."""


def context(
    found: Recollection,
    known: Background,
    budget: int | None,
    workspace: Workspace,
) -> Context:
    """What was recalled and what is known anyway, as one text for a prompt.

    A greeting asks for nothing: only what is known anyway goes with it.
    """
    if is_courtesy(found.query):
        found = replace(found, items=(), decision=Decision.ABSTAIN, confidence=0.0)
    items = shortened(found.items, found.query, SUMMARY_LINES)
    shorter = replace(found, items=tuple(items))
    most = budget or workspace.settings.context.budget_tokens
    return assemble.assemble(known, shorter, gists(items, workspace.store), most)


_COURTESY_WORDS = 10
_LONGEST_CUE = 4
_ASKING = words("who what where when which why whose")
_INTERJECTIONS = words("ok okay sure please bye goodbye yeah yep lot much")


def is_courtesy(text: str) -> bool:
    """Whether a message only greets or thanks, and names and asks nothing.

    >>> [is_courtesy(one) for one in ("Bonjour !", "Thanks a lot!", "Hello, who am I?")]
    [True, True, False]
    """
    said = spaced(text[:200]).split()
    if not 0 < len(said) <= _COURTESY_WORDS:
        return False
    polite = {at for at, word in enumerate(said) if word in _INTERJECTIONS}
    for length in range(1, _LONGEST_CUE + 1):
        for at in range(len(said) - length + 1):
            places = set(range(at, at + length))
            if not places & polite and _is_polite(" ".join(said[at : at + length]) + " "):
                polite |= places
    plain = STOP - _ASKING
    return bool(polite) and all(at in polite or word in plain for at, word in enumerate(said))


def _is_polite(phrase: str) -> bool:
    chats, reacts = load_cues("intents").found(phrase), load_cues("implicit").found(phrase)
    return "chat" in chats or "thanks" in reacts


_WORD = re.compile(r"[^\W_]{4,}")
_STEM = 5
"""Words that begin alike count as the same: visit, visited, visiting."""


def shortened(items: Sequence[Recalled], query: str, most: int) -> list[Recalled]:
    """The items; each summary cut to its sentences for this question, or left out."""
    asked = _stems(query)
    said = [item.record.text for item in items if item.record.kind is Kind.TURN]
    kept = []
    for item in items:
        if item.record.kind is not Kind.EPISODE:
            kept.append(item)
        elif lines := _meeting(item.record.text, asked, said, most):
            kept.append(replace(item, record=replace(item.record, text="\n".join(lines))))
    return sorted(kept, key=lambda item: item.record.kind is Kind.EPISODE)


def gists(items: Sequence[Recalled], store: UserStore) -> dict[str, tuple[KeySentence, ...]]:
    """By id, the sentences of each turn that something was learned from, the most telling first."""
    turns = [item.record for item in items if item.record.kind is Kind.TURN]
    learned = store.derived([turn.id for turn in turns]) if turns else {}
    wanted = sorted({id_ for ids in learned.values() for id_ in ids})
    known = {
        one.id: meaning_words(one.text)
        for one in (store.find(wanted) if wanted else ())
        if one.kind is not Kind.EPISODE and one.standing.state in NOT_ENDED
    }
    kept = {id_: [known[one] for one in ids if one in known] for id_, ids in learned.items()}
    found = {turn.id: _gist(turn.text, kept.get(turn.id, ())) for turn in turns}
    return {id_: gist for id_, gist in found.items() if gist}


def _gist(text: str, learned: Sequence[Set[str]]) -> tuple[KeySentence, ...]:
    """The sentences in order of what they tell; none if nothing that holds was learned of them."""
    if not learned or own_words(text) != text:
        return ()  # a quotation cut out of its frame would read as the user's words
    spans = whole_sentences(text)
    sentences = [meaning_words(text[start:end]) for start, end in spans]
    kept = [
        any(own and len(own & record) >= KEPT_SHARE * len(own) for record in learned)
        for own in sentences
    ]
    worth = [
        math.sqrt(len(own)) * (1.0 if is_kept else UNKEPT)
        for own, is_kept in zip(sentences, kept, strict=True)
    ]
    if len(spans) < 2 or not any(kept):
        return ()
    total = sum(worth)
    parts = [KeySentence(*span, one / total) for span, one in zip(spans, worth, strict=True)]
    return tuple(sorted(parts, key=lambda part: -part.share))


def _meeting(text: str, asked: frozenset[str], said: Sequence[str], most: int) -> list[str]:
    lines = text.splitlines()
    new = [line for line in lines if not any(_sentence(line) in turn for turn in said)]
    scores = {line: len(_stems(_sentence(line)) & asked) for line in new}
    best = sorted(filter(scores.get, new), key=lambda line: -scores[line])[:most]
    return sorted(best, key=lines.index)


def _sentence(line: str) -> str:
    """A line of a summary without who said it."""
    return line.partition(": ")[2] or line


def _stems(text: str) -> frozenset[str]:
    return frozenset(word.casefold()[:_STEM] for word in _WORD.findall(text))
