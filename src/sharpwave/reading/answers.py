"""Short answers made whole: "Porto." after "Where do you live?" is "I live in Porto"."""

import re

_LAST_QUESTION = re.compile(r"([^.!?\n]{3,200})\?[^?]{0,80}$")
_ASKED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), said)
    for pattern, said in (
        (r"where (?:do|are) you (?:live|living|based|located)", "I live in {}"),
        (r"(?:what|which) (?:city|town|country) (?:do you live|are you) in", "I live in {}"),
        (r"where (?:are|do) you (?:originally )?(?:come )?from", "I am from {}"),
        (r"where were you born", "I was born in {}"),
        (r"where did you grow up", "I grew up in {}"),
        (r"what(?:'s| is) your (?:full |first )?name", "My name is {}"),
        (r"how old are you", "I am {} years old"),
        (r"what do you do(?: for (?:a living|work))?$", "I am {}"),
        (r"what(?:'s| is) your (?:job|profession|occupation)", "I am {}"),
        (r"where do you work|who do you work for", "I work at {}"),
        (r"what (?:do|are) you study(?:ing)?", "I study {}"),
        (r"where do you study", "I study at {}"),
        (r"when(?:'s| is) your birthday", "My birthday is {}"),
        (r"what(?:'s| is) your favou?rite (\w+(?: \w+)?)$", "My favorite {kind} is {}"),
        (r"what(?:'s| is) your (?:dog|cat|pet)'s name", "My {kind} is {}"),
        (r"what(?:'s| is) your (?:budget)", "My budget is {}"),
        (r"(?:what|which) languages? do you speak", "I speak {}"),
        (r"what are you allergic to", "I am allergic to {}"),
        (r"what do you (?:like|enjoy) (?:doing|to do)", "I enjoy {}"),
        (r"what car do you drive", "I drive {}"),
    )
)
_YES = re.compile(
    r"(?:yes|yeah|yep|yup|sure|correct|exactly|right|indeed|absolutely)\b[,.! ]*", re.I
)
_NO = re.compile(r"(?:no|nope|nah)\b[,.! ]*", re.I)
_INVERTED = re.compile(
    r"(?:and |so |but )?(do|are|have|can|were) you (?:still |now )?(.{2,120})$",
    re.I,
)
_COURTESY = re.compile(
    r"(?:thanks|thank|thx|wow|oh|hmm|hm|haha|lol|sure|ok|okay|yes|yeah|no|nope|good|great|nice"
    r"|cool|well|sorry|hey|hi|not|that|this|why|what|how|good question)\b",
    re.I,
)
_OPEN = re.compile(r"\b(?:any|anything|anyone|ever|yet|or)\b", re.I)
_SELF = {"your": "my", "you": "I", "yourself": "myself"}
_LONGEST = 90


def whole_answer(text: str, previous: str | None) -> str | None:
    """The answer as a full sentence, or None if `text` answers nothing that was asked."""
    if not previous or "?" not in previous[-300:]:
        return None
    found = _LAST_QUESTION.search(previous[-300:])
    first = re.split(r"(?<=[.!?\n])\s", text.strip(), maxsplit=1)[0][:_LONGEST]
    if not found or not first or first.endswith("?"):
        return None
    question = found[1].strip()
    for lead in (", ", " - "):
        question = question.rpartition(lead)[2]
    return _to_open(question, first) or _to_yes_or_no(question, first)


def _to_open(question: str, answer: str) -> str | None:
    answer = answer.strip(" .!")
    if _COURTESY.match(answer):
        return None
    if len(answer.split()) > 9 or re.match(r"(?:i|my|we|it|he|she|they|i'm)\b", answer, re.I):
        return None
    for pattern, said in _ASKED:
        if match := pattern.search(question):
            kind = match[1] if match.groups() else "pet"
            answer = re.sub(r"^(?:it's|its|in|at|from|as|on|the one in)\s", "", answer, flags=re.I)
            return said.format(answer, kind=kind)
    return None


def _to_yes_or_no(question: str, answer: str) -> str | None:
    yes, no = _YES.match(answer), _NO.match(answer)
    match = _INVERTED.search(question)
    if not match or not (yes or no) or _OPEN.search(question):
        return None
    verb = {"do": "", "are": "am", "were": "was"}.get(match[1].lower(), match[1].lower())
    said = " ".join(_SELF.get(word.lower(), word) for word in match[2].split())
    if not yes:
        verb = f"{verb or 'do'} not"
    tail = answer[(yes or no or match).end() :].strip(" .!")
    place = re.match(r"(?:in|at|for|as) .{2,40}$", tail) if yes else None
    return " ".join(f"I {verb} {said} {tail if place else ''}".split())
