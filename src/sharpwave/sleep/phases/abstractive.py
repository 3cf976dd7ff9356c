"""A summary that a language model writes, if there is one, and that is checked before it is kept.

Every name and every number in it must stand in the conversation; otherwise the model made something
up, and the quoted sentences are kept instead. It rests on every turn that the model was shown.
"""

import re
from collections.abc import Sequence

from sharpwave.formulas.budget import token_estimate
from sharpwave.llm.prompts import sleep as prompt
from sharpwave.llm.prompts.transcript import new_nonce
from sharpwave.sleep import asking
from sharpwave.sleep.night import Night
from sharpwave.sleep.phases.extractive import Summary, sentences
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Record

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_OPENING = frozenset(
    "a after all also an and as at both but during for he her his i if in it its later most my no"
    " on one our she since so some that the their then there these they this to we when while"
    " you".split()
)
"""Words a sentence may begin with that nobody needs to have said."""
_OWN = re.compile(r"['\u2019]s$")


def summary(turns: Sequence[Record], budget: int, night: Night) -> Summary | None:
    """What a model makes of the turns; None without one, or if it says more than they do."""
    if not asking.may_ask(night):
        return None
    told = asking.lines(turns, night)
    words = int(budget * night.workspace.settings.sleep.summary.words_per_token)
    asked = prompt.render_summary(told, words, new_nonce())
    answer = asking.ask(asked, prompt.SummaryOutput, night, LLMRole.GENERATOR)
    if answer is None:
        return None
    text = answer.summary.strip()
    heard = " ".join(f"{line.speaker or ''} {line.role.value} {line.text}" for line in told)
    fits = token_estimate(text, night.workspace.settings.context.rates) <= budget
    if not text or not fits or invented(text, heard):
        return None
    return Summary(text, tuple(turn.id for turn in turns))


def invented(text: str, source: str) -> set[str]:
    """Names and numbers of a text that its source does not have.

    >>> invented("Ana moved to Lisbon. She pays 700 euros.", "ana: I moved to Lisbon, 650 a month")
    {'700'}
    """
    known = {_plain(word) for word in _WORD.findall(source)}
    found = set()
    for sentence in sentences(text):
        for place, match in enumerate(_WORD.finditer(sentence)):
            word = match[0]
            named = word[0].isupper() and (place > 0 or _plain(word) not in _OPENING)
            if (named or any(map(str.isdigit, word))) and _plain(word) not in known:
                found.add(word)
    return found


def _plain(word: str) -> str:
    return _OWN.sub("", word).casefold()
