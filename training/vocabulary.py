"""Which pieces the table has: the teacher's, folded as the runtime folds, and common words whole.

1 folded     the teacher's pieces      -> lower-cased, with the likelihood of all their forms
2 counted    all texts                 -> how often each is used, and in which language
3 chosen     counts, likelihood        -> as many as the table may have
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from sharpwave.embedding.table import MARKER, Tokenizer, marked, normalised, words

LETTERS = (
    "0-9a-zàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿœßąćęłńśźżğ\u0131ş\u0430-\u044f\u0451\u0900-\u097f"
    "\u0621-\u064a\u0660-\u0669"
    "\u067e\u0686\u06a9\u06af\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3\u2600-\u27bf"
    "\U0001f300-\U0001faff"
)
_OURS = re.compile(f"{MARKER}?[{LETTERS}]+")
WORD_COUNT = 6
MAX_PIECE_CHARS = 24


def choose(
    pieces: Sequence[str],
    scores: Sequence[float],
    texts: Iterable[tuple[str, str]],
    names: Iterable[str],
    size: int,
) -> tuple[list[str], list[float], list[str]]:
    """Return pieces, their log probabilities and the language each is mostly used in."""
    folded = _folded(pieces, scores)
    counts: Counter[str] = Counter()
    by_word: dict[str, Counter[str]] = {}
    for language, text in texts:
        for word in words(text):
            by_word.setdefault(word, Counter())[language] += 1
    whole = {marked(w): sum(c.values()) for w, c in by_word.items() if c["en"] >= WORD_COUNT}
    whole |= {marked(normalised(name)): 100 for name in names}
    _add_whole(folded, whole)
    listed = list(folded)
    cutter = Tokenizer({p: i for i, p in enumerate(listed)}, list(folded.values()))
    language_of: dict[str, Counter[str]] = {}
    for word, seen in by_word.items():
        for row in cutter.pieces(word):
            counts[listed[row]] += sum(seen.values())
            language_of.setdefault(listed[row], Counter()).update(seen)
    singles = [p for p in folded if len(p.replace(MARKER, "")) == 1]
    used = [p for p, n in counts.most_common() if n >= 2]
    named = [marked(normalised(name)) for name in names]
    likely = sorted(folded, key=folded.__getitem__, reverse=True)
    kept = list(dict.fromkeys([*singles, *named, *used[: int(size * 0.75)], *likely]))[:size]
    tongues = [
        max(language_of[p], key=language_of[p].__getitem__) if p in language_of else script(p)
        for p in kept
    ]
    return kept, [folded[p] for p in kept], tongues


def script(piece: str) -> str:
    """The language that a script stands for when nothing else is known.

    >>> script("▁мир"), script("ab"), script("한")
    ('ru', 'en', 'ko')
    """
    last = piece[-1]
    for language, low, high in (
        ("ru", "\u0430", "\u0451"), ("ar", "\u0600", "\u06ff"), ("hi", "\u0900", "\u097f"),
        ("ja", "\u3041", "\u30ff"), ("zh", "\u4e00", "\u9fff"), ("ko", "\uac00", "\ud7a3"),
    ):  # fmt: skip
        if low <= last <= high:
            return language
    return "en"


def _folded(pieces: Sequence[str], scores: Sequence[float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for piece, score in zip(pieces[4:], scores[4:], strict=False):
        bare = piece.removeprefix(MARKER)
        word = normalised(bare)
        if not word or len(word) > MAX_PIECE_CHARS:
            continue
        form = (MARKER if piece != bare and marked(word) != word else "") + word
        if _OURS.fullmatch(form):
            before = found.get(form)
            found[form] = score if before is None else _log_sum(before, score)
    return found


def _add_whole(folded: dict[str, float], whole: dict[str, int]) -> None:
    """Add frequent words, just likelier than their parts."""
    listed = list(folded)
    cutter = Tokenizer({p: i for i, p in enumerate(listed)}, list(folded.values()))
    total = sum(whole.values())
    for piece, count in whole.items():
        if piece in folded or not _OURS.fullmatch(piece) or any(c.isdigit() for c in piece):
            continue
        parts = cutter.pieces(piece.removeprefix(MARKER))
        apart = sum(folded[listed[row]] for row in parts)
        folded[piece] = max(apart + 0.01, math.log(count / total))


def _log_sum(a: float, b: float) -> float:
    top = max(a, b)
    return top + math.log(math.exp(a - top) + math.exp(b - top))
