"""Makes the text for a prompt of what was recalled.

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
"""Maximum numbers of facts and tasks that could fit."""
SUMMARY_LINES = 2
"""Maximum number of sentences shown of one summary."""
LEARNED_SHARE = 0.6
"""Minimum share of a sentence's words in a learned record that counts as learned from it."""
UNLEARNED_WORTH = 0.1
"""Relative worth of a sentence from which nothing was learned."""


def context(
    recollection: Recollection,
    background: Background,
    budget: int | None,
    workspace: Workspace,
) -> Context:
    """What was recalled and the background, as one text for a prompt.

    A greeting asks for nothing: it gets only the background.
    """
    if is_courtesy(recollection.query):
        recollection = replace(recollection, items=(), decision=Decision.ABSTAIN, confidence=0.0)
    items = shortened(recollection.items, recollection.query, SUMMARY_LINES)
    shorter = replace(recollection, items=tuple(items))
    budget_tokens = budget or workspace.settings.context.budget_tokens
    return assemble.assemble(background, shorter, gists(items, workspace.store), budget_tokens)


_COURTESY_WORDS = 10
_LONGEST_CUE = 4
_ASKING = words("who what where when which why whose")
_INTERJECTIONS = words("ok okay sure please bye goodbye yeah yep lot much")


def is_courtesy(text: str) -> bool:
    """Whether a message only greets or thanks, and names and asks nothing.

    >>> [is_courtesy(text) for text in ("Bonjour !", "Thanks a lot!", "Hello, who am I?")]
    [True, True, False]
    """
    spoken = spaced(text[:200]).split()
    if not 0 < len(spoken) <= _COURTESY_WORDS:
        return False
    polite = {at for at, word in enumerate(spoken) if word in _INTERJECTIONS}
    for length in range(1, _LONGEST_CUE + 1):
        for at in range(len(spoken) - length + 1):
            places = set(range(at, at + length))
            if not places & polite and _is_polite(" ".join(spoken[at : at + length]) + " "):
                polite |= places
    plain = STOP - _ASKING
    return bool(polite) and all(at in polite or word in plain for at, word in enumerate(spoken))


def _is_polite(phrase: str) -> bool:
    chats, reacts = load_cues("intents").found(phrase), load_cues("implicit").found(phrase)
    return "chat" in chats or "thanks" in reacts


_WORD = re.compile(r"[^\W_]{4,}")
_STEM = 5
"""Words that begin alike count as the same: visit, visited, visiting."""


def shortened(items: Sequence[Recalled], query: str, max_lines: int) -> list[Recalled]:
    """The items; each summary cut to its sentences for this question, or left out."""
    question_stems = _stems(query)
    turn_texts = [item.record.text for item in items if item.record.kind is Kind.TURN]
    kept = []
    for item in items:
        if item.record.kind is not Kind.EPISODE:
            kept.append(item)
        elif lines := _lines_about(item.record.text, question_stems, turn_texts, max_lines):
            kept.append(replace(item, record=replace(item.record, text="\n".join(lines))))
    return sorted(kept, key=lambda item: item.record.kind is Kind.EPISODE)


def gists(items: Sequence[Recalled], store: UserStore) -> dict[str, tuple[KeySentence, ...]]:
    """By id, the sentences of turns that something was learned from, the most informative first."""
    turns = [item.record for item in items if item.record.kind is Kind.TURN]
    learned = store.derived([turn.id for turn in turns]) if turns else {}
    learned_ids = sorted({id_ for ids in learned.values() for id_ in ids})
    known = {
        record.id: meaning_words(record.text)
        for record in (store.find(learned_ids) if learned_ids else ())
        if record.kind is not Kind.EPISODE and record.standing.state in NOT_ENDED
    }
    kept = {turn: [known[id_] for id_ in ids if id_ in known] for turn, ids in learned.items()}
    gist_of = {turn.id: _gist(turn.text, kept.get(turn.id, ())) for turn in turns}
    return {id_: gist for id_, gist in gist_of.items() if gist}


def _gist(text: str, learned: Sequence[Set[str]]) -> tuple[KeySentence, ...]:
    """The sentences, the most informative first; none if nothing that holds was learned of them."""
    if not learned or own_words(text) != text:
        return ()  # a quotation without its context would read as the user's words
    spans = whole_sentences(text)
    sentences = [meaning_words(text[start:end]) for start, end in spans]
    kept = [
        any(words and len(words & record) >= LEARNED_SHARE * len(words) for record in learned)
        for words in sentences
    ]
    worth = [
        math.sqrt(len(words)) * (1.0 if is_kept else UNLEARNED_WORTH)
        for words, is_kept in zip(sentences, kept, strict=True)
    ]
    if len(spans) < 2 or not any(kept):
        return ()
    total = sum(worth)
    parts = [KeySentence(*span, value / total) for span, value in zip(spans, worth, strict=True)]
    return tuple(sorted(parts, key=lambda part: -part.share))


def _lines_about(text: str, stems: frozenset[str], turns: Sequence[str], limit: int) -> list[str]:
    lines = text.splitlines()
    new = [line for line in lines if not any(_sentence(line) in turn for turn in turns)]
    scores = {line: len(_stems(_sentence(line)) & stems) for line in new}
    best = sorted(filter(scores.get, new), key=lambda line: -scores[line])[:limit]
    return sorted(best, key=lines.index)


def _sentence(line: str) -> str:
    """A line of a summary without who said it."""
    return line.partition(": ")[2] or line


def _stems(text: str) -> frozenset[str]:
    return frozenset(word.casefold()[:_STEM] for word in _WORD.findall(text))
