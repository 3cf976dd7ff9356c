"""What the next message says about the answer before it, where nobody rated it.

Weak and careful: a missed sign costs little, a false one teaches something wrong. Thanks and
corrections count only where a message begins with them, a repetition only where nearly the same is
asked again.
"""

from sharpwave.errors import ProviderError
from sharpwave.ports import Embedder
from sharpwave.reading.grammar.lexicon import load_cues, spaced
from sharpwave.settings.reading import ReadingSettings
from sharpwave.types.intent import Implicit

OPENING_CHARS = 24
"""Thanks and corrections stand here, if they are about the answer."""

_USUAL = ReadingSettings()


def implicit_reward(
    message: str,
    previous_user_message: str | None,
    previous_assistant_message: str | None,
    embedder: Embedder | None,
    settings: ReadingSettings = _USUAL,
) -> Implicit | None:
    """What a message tells about the answer before it; None if nothing, or if there was none."""
    if not previous_assistant_message or not message.strip():
        return None
    words = spaced(message[: settings.max_chars])
    found = load_cues("implicit").found(words[:OPENING_CHARS])
    if found.get("correction"):
        return Implicit(-settings.implicit_reward, "correction")
    if found.get("thanks") and len(words) <= settings.thanks_chars:
        return Implicit(settings.implicit_reward, "thanks")
    if previous_user_message and _repeats(words, previous_user_message, embedder, settings):
        return Implicit(-settings.implicit_reward, "repeated")
    return None


def _repeats(words: str, before: str, embedder: Embedder | None, settings: ReadingSettings) -> bool:
    """The same is asked again: many of its words, and nearly its meaning."""
    earlier = spaced(before[: settings.max_chars])
    ours, theirs = set(words.split()), set(earlier.split())
    sizes = (len(words), len(earlier))
    if min(sizes) < settings.repeat_chars or max(sizes) > settings.repeat_longest:
        return False
    if len(ours & theirs) < settings.repeat_words * len(ours | theirs):
        return False
    if embedder is None:
        return ours == theirs
    try:
        one, other = embedder.embed([words, earlier])
    except ProviderError:
        return False
    return float(one @ other) >= settings.repeat_cosine
