"""Questions made from statements by rule, so that what answers a question is known for certain.

    "I finally bought a used Canon camera from my neighbour."
        -> "What did {name} buy used canon camera?"   (words left out, verbs in their base form)

The result is no good English, and need not be: the table sees a bag of pieces. What it learns is
which words of a question matter, that "went" answers "go", and to pass over frames and names.
"""

import random
import re
from collections import Counter

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_TOKEN = re.compile(r"[A-Za-z][A-Za-z'-]*|\d[\d,.:]*")
_FIRST_PERSON = re.compile(r"\b(I|my|My|we|our|We|Our|I'm|I've)\b")
STOP = frozenset(
    """a about after all also am an and any are as at be because been before being but by can could
    did do does doing don't for from get got had has have having he her here hers him his how i i'm
    i've i'll i'd if in into is it it's its just like me might more most much must my myself no not
    now of off on one only or other our out over own really she should so some such than that the
    their them then there these they this those through to too under up us very was we were what
    when where which while who why will with would you your yes thanks thank please can't actually
    think sure maybe recently currently lately finally definitely""".split()
)
FRAMES = (
    "What did {n} {w}?", "When did {n} {w}?", "Where did {n} {w}?", "Why did {n} {w}?",
    "How did {n} {w}?", "Who did {n} {w} with?", "What does {n} {w}?", "What is {n}'s {w}?",
    "Which {w} does {n} have?", "How many {w} did {n} have?", "How long has {n} {w}?",
    "What kind of {w} does {n} like?", "Did {n} {w}?", "What {w} has {n} mentioned?",
    "When was {n}'s {w}?", "What are {n}'s {w}?", "Is {n} {w}?", "What type of {w} did {n} get?",
    "How often does {n} {w}?", "What does {n} think about {w}?", "What happened to {n} {w}?",
)  # fmt: skip
_IRREGULAR = dict(
    pair.split(":")
    for pair in """went:go gone:go bought:buy made:make took:take taken:take saw:see seen:see
    came:come found:find gave:give given:give told:tell thought:think felt:feel left:leave
    kept:keep began:begin begun:begin wrote:write written:write ran:run met:meet paid:pay sent:send
    spent:spend built:build lost:lose read:read brought:bring taught:teach caught:catch sold:sell
    broke:break broken:break chose:choose chosen:choose drove:drive driven:drive ate:eat eaten:eat
    flew:fly grew:grow grown:grow knew:know known:know slept:sleep spoke:speak stood:stand
    swam:swim won:win wore:wear woke:wake held:hold heard:hear hit:hit cut:cut put:put set:set
    became:become understood:understand sang:sing drank:drink fell:fall got:get""".split()
)


def chunks(turn: str) -> list[str]:
    """Cut a turn into statements of one to three sentences, at most sixty words."""
    found: list[str] = []
    now: list[str] = []
    for sentence in _SENTENCE.split(re.sub(r"\s+", " ", turn)):
        if now and (len(now) == 3 or len(" ".join([*now, sentence]).split()) > 60):
            found.append(" ".join(now))
            now = []
        now.append(sentence)
    found.append(" ".join(now))
    return [one for one in found if 4 <= len(one.split()) <= 80]


def ask(statement: str, known: Counter[str], draw: random.Random) -> str | None:
    """Make a question that this statement answers, with {n} for who is asked about."""
    told = [
        s
        for s in _SENTENCE.split(statement)
        if _FIRST_PERSON.search(s) and not s.endswith("?") and len(s.split()) >= 5
    ]
    if not told:
        return None
    tokens = _TOKEN.findall(draw.choice(told))
    content = [at for at, token in enumerate(tokens) if token.lower() not in STOP]
    if len(content) < 3:
        return None
    count = draw.randint(2, min(5, len(content) - 1))
    first = draw.randint(0, len(content) - count)
    chosen = content[first : first + count]
    if draw.random() < 0.4:  # not always neighbours
        chosen = sorted(draw.sample(content, count))
    kept = [_root(tokens[at], known) if draw.random() < 0.75 else tokens[at] for at in chosen]
    return draw.choice(FRAMES).replace("{w}", " ".join(kept))


def _root(token: str, known: Counter[str]) -> str:
    """The base form of a word, if it is one that people write.

    >>> _root("Hiking", Counter(hike=9)), _root("went", Counter()), _root("red", Counter())
    ('hike', 'go', 'red')
    """
    word = token.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending in ("ing", "ed", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            for one in (stem, stem + "e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem):
                if known[one] >= 3 and one not in STOP:
                    return one
            if stem.endswith("i") and known[stem[:-1] + "y"] >= 3:
                return stem[:-1] + "y"
    return token
