"""Classes of words that mark steering, forms of verbs, and a message as sentences of words.

Small, closed, written by hand. A form of a verb is undone only if the result is a verb that an
assistant can be instructed to do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sharpwave.reading.grammar.tokens import MASKED, Token, tokenize


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


# --- verbs ---------------------------------------------------------------------------------------

MANNER = words(
    """use prefer avoid cite keep follow format skip omit call address quote spell capitalize
    capitalise estimate round be stop limit stick favor favour adopt phrase refer label indent
    wrap prefix abbreviate assume default apologize apologise paraphrase hedge sugarcoat sign
    greet leave bold italicize minimize minimise cut drop get express write answer respond reply
    speak talk explain invent guess speculate refrain lowercase uppercase structure prioritize
    prioritise"""
)
"""How something is done: an imperative of these may be a standing instruction."""

GIVING = words(
    """include show give provide name order sort exclude mention state summarize summarise repeat
    present highlight emphasize emphasise define describe suggest recommend offer ask check
    verify confirm remove ensure focus simplify elaborate expand rely return output display
    illustrate emit print mark flag attach link annotate justify convert measure report document
    comment assert lead group split break combine act treat consider translate render type
    shorten lengthen add list apply"""
)
"""What is given: as a rule only where it is said to hold, or of answers as such."""

PLACING = words("put start begin end separate number")
"""Where something goes: standing if it is said against an answer."""

SPEAKING = words("write answer respond reply speak talk explain")
"""Of these only the manner is standing: in plain English, as for a child."""

TASKS = words(
    """make create build fix change update edit delete rename move copy run test commit push merge
    deploy release install import export refactor rewrite revise review tell find look search
    read open close send email book order buy schedule plan remind record save store log track
    compare compute calculate draft generate design implement do try help let take set turn fill
    choose pick select propose prepare outline bring go work think see hear have know touch
    modify overwrite force squash rebase tag publish share upload download reference proofread
    correct transcribe paste insert append replace switch reset log bill charge invoice cook
    serve pack double-check beat wait proceed continue handle alter"""
)
"""What is done: an imperative of these is a task unless it is said to hold always."""

NOT_ASKED = words(
    """worry forget mind panic know think believe hesitate bother hate love like care give_up want
    need understand remember cry laugh get"""
)
"""After "don't" these are comfort, or a story, and no instruction."""

# --- what the assistant makes --------------------------------------------------------------------

OUTPUT = words(
    """answer answers reply replies response responses explanation explanations message messages
    output code comment comments docstring docstrings tone voice language style wording sentence
    sentences paragraph paragraphs bullet bullets list lists table tables heading headings
    header headers summary summaries intro introduction introductions conclusion conclusions
    detail details emoji emojis jargon slang acronym acronyms markdown example examples source
    sources citation citations reference references caveat caveats disclaimer disclaimers
    hedging filler fluff pleasantries preamble recap exclamation prose word words length format
    formatting bold italics headline headlines title titles number numbers figure figures date
    dates unit units quote quotes comma commas suggestion suggestions recommendation
    recommendations report reports email emails draft drafts slide slides plan plans diff diffs
    test tests hint hints type_hints variable variables function functions name names import
    imports indentation tabs spaces quotes semicolons apology apologies repetition metaphor
    metaphors adjective adjectives adverbs passive spelling english analogies analogy buzzwords
    compliments flattery point chart charts diagram diagrams snippet snippets commit commits
    branch branches log logs amount amounts price prices option options alternative alternatives
    recipe recipes step steps action item items risk risks footnote footnotes reasoning
    assumptions abbreviation abbreviations contraction contractions clichés cliches"""
)
"""Nouns for what an assistant produces; "your" before one of them means the assistant's."""

PLACES = words("project repo repository codebase workspace monorepo")
FILES = words("file module script notebook spreadsheet")

STYLE_NOUNS = words(
    """tone voice style wording language jargon slang emoji emojis bullet bullets list lists table
    tables heading headings header headers paragraph paragraphs sentence sentences prose length
    detail details summary summaries intro introduction preamble fluff filler pleasantries
    answer answers reply replies response responses explanation explanations markdown formatting
    bold italics hedging caveats disclaimers word words english metaphors analogies analogy
    examples example repetition adjectives adverbs contractions buzzwords point exclamation
    acronyms recap bush number numbers flattery compliments code"""
)
"""What makes a rule one of style: how long, in which shape and tone an answer is."""

BEARINGS = words(
    """concise brief short succinct terse verbose wordy long detailed thorough specific precise
    direct blunt formal informal casual friendly friendlier warm warmer polite technical simple
    simpler clear clearer explicit vague generic honest critical creative playful professional
    serious neutral objective balanced confident assertive careful shorter longer briefer crisp
    snappy conversational strict gentle kind patient enthusiastic humorous funny academic
    literal factual practical concrete dry stiff robotic chatty repetitive flowery complicated
    dense structured organized"""
)
"""How an answer, or the one who gives it, can be."""

LANGUAGES = words(
    """english german french spanish italian portuguese dutch swedish norwegian danish finnish
    polish czech russian ukrainian turkish arabic hebrew hindi japanese chinese korean mandarin
    cantonese greek romanian hungarian vietnamese thai indonesian latin catalan british american"""
)

WORK = words(
    """team company project codebase repo repository api apis app application product platform
    service services backend frontend server servers database db schema stack infrastructure
    pipeline ci cd deploys deployment deployments production staging environment branch release
    releases version versioning convention conventions standard standards guideline guidelines
    guide style brand voice tone policy policies process workflow fiscal sprint sprints cadence
    standup backlog ticket tickets jira board client clients customer customers audience readers
    department organization organisation org firm office agency lab group data warehouse test
    tests code reports report invoices invoice kpi kpis okrs okr metrics methodology framework
    library libraries language languages naming format template templates website site domain
    default defaults auth authentication tokens endpoints endpoint clusters cluster cloud config
    configuration secrets logs logging monitoring docs documentation wiki glossary terminology
    abstracts citations edition currency contracts contract legal compliance sla slas quarter
    deadline deadlines milestones milestone roadmap rollout review reviews approval approvals
    editors editor publication journal newsletter house packages package builds build compiler
    linter formatter module modules monorepo tenants tenant users stakeholders reporting pricing
    inventory suppliers supplier warehouse shift shifts curriculum syllabus rubric grading"""
)
"""What a team at work has and uses."""

TEAM_VERBS = words(
    """use follow deploy run host store keep ship release build test track issue bill invoice
    version name prefix format target support log measure require estimate write maintain manage
    call publish review merge branch tag document cite bill charge report close sell serve
    operate work standardize standardise base rely adhere comply plan"""
)
"""What a team does as a rule; "we" before one of them states how things are done there."""

# --- small words ---------------------------------------------------------------------------------

DEFINITE = words("the this that these those it them him her his their its such")
INDEFINITE = words(
    """a an some any another one two three four five six seven eight nine ten several few both
    more"""
)
PRONOUNS = words("it them this that these those")
ADVERBS = words(
    """please just simply also maybe perhaps kindly really definitely only always never still
    instead then ever first generally usually"""
)
MODALS = words("can could would will")
OBLIGATION = words("should must ought")
COMPARATIVE = words(
    """shorter longer simpler clearer briefer warmer friendlier fewer less more bigger smaller
    tighter crisper plainer softer harsher nicer better"""
)


KNOWN = MANNER | GIVING | PLACING | TASKS
_IRREGULAR = {
    "wrote": "write",
    "gave": "give",
    "kept": "keep",
    "put": "put",
    "made": "make",
    "told": "tell",
    "showed": "show",
    "left": "leave",
    "spoke": "speak",
    "began": "begin",
    "ran": "run",
    "took": "take",
    "went": "go",
    "did": "do",
    "got": "get",
    "were": "be",
    "was": "be",
    "had": "have",
    "let": "let",
    "set": "set",
    "cut": "cut",
}
_VOWELS = "aeiou"


def gerund(base: str) -> str:
    """The form in -ing.

    >>> [gerund(verb) for verb in ("commit", "write", "show", "be", "run", "lie")]
    ['committing', 'writing', 'showing', 'being', 'running', 'lying']
    """
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return base[:-1] + "ing"
    return base + base[-1] + "ing" if _doubles(base) else base + "ing"


def _doubles(base: str) -> bool:
    """A stressed short vowel doubles what follows: run, commit; not visit or show."""
    if len(base) < 3 or base[-1] in "wxy" or base[-1] in _VOWELS or base[-2] not in _VOWELS:
        return False
    if base[-3] in _VOWELS:
        return False
    syllables = sum(
        1
        for place, one in enumerate(base)
        if one in _VOWELS and (place == 0 or base[place - 1] not in _VOWELS)
    )
    return syllables == 1 or base.endswith(("mit", "fer", "gin", "get", "put", "cur"))


def base_of_gerund(form: str) -> str | None:
    """The plain form of a verb in -ing; None if it is none that is known."""
    return _GERUNDS.get(form)


def base_of_past(form: str) -> str | None:
    """The plain form of a verb in the past; None if it is none that is known."""
    return _IRREGULAR.get(form) or _PASTS.get(form)


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ied"
    return base + base[-1] + "ed" if _doubles(base) else base + "ed"


def third(base: str) -> str:
    """The form of the third person.

    >>> [third(verb) for verb in ("use", "deploy", "push", "carry", "do", "have")]
    ['uses', 'deploys', 'pushes', 'carries', 'does', 'has']
    """
    if base == "have":
        return "has"
    if base == "be":
        return "is"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


_GERUNDS = {gerund(base): base for base in sorted(KNOWN)}
_PASTS = {_past(base): base for base in sorted(KNOWN)}


_ENDS = frozenset(".!?\u2026")
_ABBREVIATIONS = frozenset("mr mrs ms dr prof st vs etc e.g i.e jr sr inc ltd".split())
_QUOTE_CHARS = 60
_BREAKS = frozenset({";", "\u2014", "\u2013"})


class Word(NamedTuple):
    """A word in lower case, as it was written, and whether a space stands before it."""

    low: str
    text: str
    apart: bool = True


def word(text: str) -> Word:
    """A word of our own."""
    return Word(text.lower(), text)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, or a part of it that asks for one thing."""

    words: tuple[Word, ...]
    asks: bool
    """It ends in a question mark."""
    number: int = 0
    """Which sentence of the message it belongs to."""

    @property
    def low(self) -> tuple[str, ...]:
        """Its words in lower case."""
        return tuple(one.low for one in self.words)

    def of(self, words: Sequence[Word]) -> "Sentence":
        """The same with other words."""
        return replace(self, words=tuple(words))


def sentences(text: str) -> list[Sentence]:
    """The sentences of a message in the user's own words."""
    tokens = tokenize(text)
    return [
        Sentence(tuple(_words(text, tokens[first:last])), mark == "?", number)
        for number, (first, last, mark) in enumerate(_cut(text, tokens))
        if first < last
    ]


def _cut(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    first = 0
    for place, token in enumerate(tokens):
        low = token.low
        ends = low in _BREAKS or low[0] == "\n" or low.startswith("..") or _is_text(text, token)
        if low in _ENDS:
            after = text[token.end : token.end + 1]
            ends = not after or after.isspace() or after in "\"')\u201d"
            if low == "." and place and tokens[place - 1].low in _ABBREVIATIONS and after == " ":
                ends = False
        if ends:
            yield first, place, low
            first = place + 1
    yield first, len(tokens), ""


def _is_text(text: str, token: Token) -> bool:
    """True for words of others; a short quotation is a part of the sentence around it."""
    if token.low != MASKED or text[token.start : token.end].startswith("http"):
        return False
    return token.end - token.start > _QUOTE_CHARS or text[token.start].isalnum()


def _words(text: str, tokens: Sequence[Token]) -> Iterator[Word]:
    end = None
    for token in tokens:
        written = text[token.start : token.end]
        apart = end is None or token.start > end
        split = token.low != written.lower() and token.low != MASKED
        if split:  # a part of a contraction
            apart, written = True, token.low
        yield Word(token.low, written, apart)
        end = token.end


def text_of(words: Sequence[Word]) -> str:
    """Words as a text, with the spaces that stood between them."""
    return "".join((" " if one.apart else "") + one.text for one in words).strip()
