"""Word lists that several patterns share, and cue words of many languages."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from sharpwave.formulas.relevance import mood


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


FIRST = words("i we")
MINE = words("my our")
BE = words("am is are was were be been being")
HAVE = words("have has had having")
DO = words("do does did")
MODALS = words("would could should might may can must")
ADVERBS = words(
    """actually also always already just really now currently recently finally still only even
    usually often sometimes normally typically generally regularly mostly mainly primarily rarely
    seldom definitely certainly absolutely totally completely truly simply honestly literally
    officially originally formerly previously lately proudly happily sadly unfortunately
    fortunately luckily basically once both all probably maybe perhaps possibly kinda sorta
    apparently personally constantly frequently occasionally soon then again ever too so quite
    pretty super very well almost nearly slowly gradually accidentally finally initially
    particularly especially specifically obviously clearly deeply genuinely sincerely quickly
    today yesterday tomorrow tonight newly freshly strongly highly greatly secretly thoroughly
    sort kind first eventually presently temporarily permanently"""
)
HEDGES = words(
    "probably maybe perhaps possibly kinda sorta apparently supposedly presumably likely might may"
)
HABITS = words(
    """always usually often sometimes normally typically generally regularly mostly frequently
    constantly occasionally rarely seldom"""
)

DAYS = words("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = words(
    """january february march april may june july august september october november december"""
)
TIME_WORDS = (
    DAYS
    | MONTHS
    | words(
        """last next this past other the a an in on at after before during for since week weeks
        month months year years day days night morning afternoon evening weekend summer winter
        spring fall few couple of ago one two three four five today yesterday tomorrow tonight
        christmas easter college school kid child work young growing up back early late my when
        over"""
    )
)
FEMALE_KIN = "mother sister daughter wife girlfriend grandmother aunt niece stepmother"
MALE_KIN = "father brother son husband boyfriend grandfather uncle nephew stepfather"

RELATIONS: dict[str, str] = {
    word: word
    for word in (
        f"""{FEMALE_KIN} {MALE_KIN} parent sibling twin child spouse partner cousin friend roommate
        neighbor colleague boss teacher mentor coach doctor therapist ex grandchild assistant
        landlord tenant babysitter carer lawyer accountant midwife nurse client student classmate
        godchild godparent apprentice trainee intern secretary paralegal supervisor foreman nanny
        dentist surgeon physiotherapist professor patient customer"""
    ).split()
} | {
    "mom": "mother", "mum": "mother", "mommy": "mother", "mama": "mother", "ma": "mother",
    "dad": "father", "daddy": "father", "papa": "father", "pa": "father",
    "sis": "sister", "bro": "brother", "kid": "child", "baby": "child", "toddler": "child",
    "grandma": "grandmother", "granny": "grandmother", "nana": "grandmother", "gran": "grandmother",
    "grandpa": "grandfather", "granddad": "grandfather", "grandson": "grandchild",
    "granddaughter": "grandchild", "fiance": "fiance", "fiancé": "fiance", "fiancee": "fiance",
    "fiancée": "fiance", "hubby": "husband", "gf": "girlfriend", "bf": "boyfriend",
    "flatmate": "roommate", "housemate": "roommate", "neighbour": "neighbor",
    "coworker": "colleague", "co-worker": "colleague", "teammate": "colleague",
    "manager": "boss", "instructor": "teacher", "buddy": "friend", "bestie": "best_friend",
    "pal": "friend", "mate": "friend", "gp": "doctor", "physio": "physiotherapist",
    "stepmom": "stepmother", "stepdad": "stepfather", "physician": "doctor", "trainer": "coach",
    "mother-in-law": "in_law", "father-in-law": "in_law", "sister-in-law": "in_law",
    "brother-in-law": "in_law", "advisor": "mentor", "ex-wife": "ex",
    "ex-husband": "ex", "stepson": "child", "stepdaughter": "child", "daughter-in-law": "in_law",
    "son-in-law": "in_law", "auntie": "aunt", "landlady": "landlord",
    "sitter": "babysitter", "caregiver": "carer", "helper": "carer",
    "solicitor": "lawyer", "attorney": "lawyer", "bookkeeper": "accountant",
    "pupil": "student", "locum": "colleague", "workmate": "colleague", "bandmate": "colleague",
    "godson": "godchild", "goddaughter": "godchild", "godmother": "godparent",
    "godfather": "godparent", "ex-boyfriend": "ex", "ex-girlfriend": "ex",
}  # fmt: skip

ANIMALS: dict[str, str] = {
    word: word
    for word in """dog cat rabbit bunny hamster parrot turtle tortoise snake lizard horse pony bird
    fish goldfish gecko ferret budgie cockatiel canary chicken goat pig guinea-pig
    cow calf bull sheep lamb donkey duck hen rooster pigeon mare""".split()
} | {
    "puppy": "dog", "pup": "dog", "doggo": "dog", "kitten": "cat", "kitty": "cat",
    "retriever": "dog", "labrador": "dog", "poodle": "dog", "shepherd": "dog", "corgi": "dog",
    "beagle": "dog", "terrier": "dog", "collie": "dog", "husky": "dog", "dachshund": "dog",
    "bulldog": "dog", "chihuahua": "dog", "siamese": "cat", "tabby": "cat", "pet": "pet",
}  # fmt: skip

NEGATIVE = words("not never no nobody none neither nor cannot without hardly")
DEICTIC_TIMES = words(
    """today yesterday tomorrow tonight now lately recently nowadays currently soon later earlier
    afterwards ago once already again anymore too either though yet still also"""
)

NUMBERS = words(
    """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty"""
)
NATIONALITIES = words(
    """american british english scottish welsh irish french german italian spanish portuguese dutch
    belgian swiss austrian polish czech slovak hungarian romanian bulgarian greek turkish russian
    ukrainian swedish norwegian danish finnish icelandic estonian latvian lithuanian serbian
    croatian bosnian albanian slovenian indian pakistani bangladeshi nepali chinese japanese korean
    taiwanese vietnamese thai filipino filipina indonesian malaysian singaporean australian
    canadian mexican brazilian argentinian argentine chilean colombian peruvian venezuelan cuban
    ecuadorian bolivian nigerian kenyan ghanaian ethiopian egyptian moroccan algerian tunisian
    israeli lebanese syrian iraqi iranian persian saudi afghan jamaican african-american
    puerto-rican"""
)
FAITHS = words(
    """christian catholic protestant muslim jewish hindu buddhist sikh atheist agnostic orthodox
    mormon baptist lutheran methodist"""
)

PRONOUNS = words(
    """it this that these those them him her he she they one ones something anything everything
    nothing someone anyone everyone there here so such same which what who you me us i we stuff
    things thing lot lots bit way ways time times kind sort all some any much many more most few
    both another other others few little em"""
)
STOP = (
    PRONOUNS
    | words(
        """a an the my our your his its their and or but if of in on at to for from with by about as
    is am are was were be been being have has had do does did not no yes than then just really very
    too up out off down over into onto after before since until while again once also well good
    great nice new able back around through during without within along away home like get got
    getting been going go went make made take took really so pretty awesome amazing cool fun"""
    )
    | ADVERBS
)

_IRREGULAR = """
be am is are was were been being | have has had having | do does did done doing
go goes went gone going | get gets got gotten getting | make makes made making
take takes took taken taking | come comes came coming | see sees saw seen seeing
buy buys bought buying | sell sells sold selling | leave leaves left leaving
lose loses lost losing | find finds found finding | meet meets met meeting
read reads reading | run runs ran running | win wins won winning
write writes wrote written writing
speak speaks spoke spoken speaking | teach teaches taught teaching | think thinks thought thinking
know knows knew known knowing | feel feels felt feeling | keep keeps kept keeping
give gives gave given giving | tell tells told telling | say says said saying
eat eats ate eaten eating | drink drinks drank drunk drinking | drive drives drove driven driving
fly flies flew flown flying | grow grows grew grown growing | break breaks broke broken breaking
begin begins began begun beginning | build builds built building | spend spends spent spending
pay pays paid paying | send sends sent sending | sit sits sat sitting | stand stands stood standing
swim swims swam swum swimming | sing sings sang sung singing | ride rides rode ridden riding
wake wakes woke woken waking | wear wears wore worn wearing | choose chooses chose chosen choosing
lead leads led leading | hold holds held holding | hear hears heard hearing | hurt hurts hurting
put puts putting | set sets setting | quit quits quitting | cut cuts cutting | let lets letting
hit hits hitting | cost costs costing | shoot shoots shot shooting | catch catches caught catching
fall falls fell fallen falling | forget forgets forgot forgotten forgetting
bring brings brought bringing | throw throws threw thrown throwing | draw draws drew drawn drawing
hang hangs hung hanging | sleep sleeps slept sleeping | beat beats beaten beating
cancel cancels cancelled canceled cancelling canceling
mean means meant meaning | show shows showed shown showing | understand understands understood
become becomes became becoming | adopt adopts adopted adopting | die dies died dying
study studies studied studying | marry marries married marrying | try tries tried trying
carry carries carried carrying | move moves moved moving | live lives lived living
plan plans planned planning | stop stops stopped stopping | like likes liked liking
love loves loved loving | hate hates hated hating | enjoy enjoys enjoyed enjoying
fight fights fought fighting | steal steals stole stolen stealing | feed feeds fed feeding
use uses used using | date dates dated dating | hide hides hid hidden hiding
tear tears tore torn tearing | bite bites bit bitten biting | lend lends lent lending
ring rings rang rung | dig digs dug digging | sweep sweeps swept sweeping | sew sews sewn sewing
freeze freezes froze frozen freezing | lay lays laid laying | mow mows mown mowing
withdraw withdraws withdrew withdrawn withdrawing
"""

_PARTICIPLES = words(
    """been done gone gotten got made taken come seen bought sold left lost found met read run won
    written spoken taught thought known felt kept given told said eaten drunk driven flown grown
    broken begun built spent paid sent sat stood swum sung ridden woken worn chosen led held heard
    hurt put set quit cut let hit cost shot caught fallen forgotten brought thrown drawn hung slept
    beaten meant shown understood become had fought stolen fed torn bitten lent rung dug
    swept sewn frozen laid mown withdrawn"""
)
_PASTS = words(
    """went got made took came saw bought sold left lost found met read ran won wrote spoke taught
    thought knew felt kept gave told said ate drank drove flew grew broke began built spent paid
    sent sat stood swam sang rode woke wore chose led held heard hurt put set quit cut let hit cost
    shot caught fell forgot brought threw drew hung slept beat meant showed understood became had
    did fought stole fed tore bit lent was were retook rewrote overcame underwent froze stuck dug
    hid sought swept undertook bent blew shook spread rang laid withdrew"""
)
_NOT_PAST = words("need feed speed seed breed bleed embed exceed proceed succeed indeed")
_NOT_ING = words("king thing something anything nothing everything ring bring string spring sing")


def _forms() -> dict[str, str]:
    rows = [row.split() for row in _IRREGULAR.replace("\n", " | ").split("|")]
    merged: dict[str, str] = {}
    for row in rows:
        for form in row:
            merged.setdefault(form, row[0])
    return merged


_FORMS = _forms()
_DOUBLE = re.compile(r"([bdgmnprt])\1$")


def lemma(word: str) -> str:
    """The plain form of a verb as far as the rules need it: `works`, `worked`, `working` → `work`.

    >>> [lemma(word) for word in ("went", "works", "studied", "planning", "hoping", "allergic")]
    ['go', 'work', 'study', 'plan', 'hope', 'allergic']
    """
    known = _FORMS.get(word)
    if known is not None:
        return known
    if word.endswith("ing") and len(word) > 5 and word not in _NOT_ING:
        return _stem(word[:-3])
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ed") and len(word) > 4 and word not in _NOT_PAST:
        return _stem(word[:-2])
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


_WITH_E = words(
    """hop lov lik us driv mak tak writ mov liv organiz realiz manag practic danc
    participat graduat celebrat creat decorat donat relocat commut rac hik bik bak us receiv
    retir hir fir divorc reserv schedul purchas explor captur prepar shar car declin decid divid
    provid rid rais los clos choos giv hav serv sav solv involv improv approv believ achiev arriv
    surviv invit complet delet updat investigat meditat appreciat renovat upgrad trad pos not
    tast wast examin imagin combin defin refin determin continu argu rescu valu pursu issu
    experienc notic balanc produc introduc reduc replac plac fac trac produc challeng chang
    arrang exchang charg encourag engag merg challeng judg acquir inspir admir requir fil smil
    figur measur pictur treasur ventur nurtur smok vap vot devot promot tun postpon paus reschedul
    handl settl struggl juggl tackl recycl battl wrestl cycl sampl assembl giggl welcom"""
)


def _stem(stem: str) -> str:
    if stem in _WITH_E or stem.endswith(("v", "z", "u", "c")):
        return stem + "e"
    if _DOUBLE.search(stem) and len(stem) > 3 and not stem.endswith(("ll", "ss")):
        return stem[:-1]
    return stem


def is_past(word: str) -> bool:
    """True if a word in the place of a verb is in the past tense."""
    return word in _PASTS or (word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST)


def is_participle(word: str) -> bool:
    """True if a word after "have" makes it a perfect tense."""
    return word in _PARTICIPLES or (word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST)


def is_ing(word: str) -> bool:
    """True for the -ing form of a verb."""
    return word.endswith("ing") and len(word) > 4 and word not in _NOT_ING


_WORD = re.compile(
    "[\\w\u0300-\u036f\u064b-\u065f\u0900-\u0dff]+|[\u2600-\u27bf\U0001f300-\U0001faff]"
)
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")


class Cues:
    """Which kinds of cue a text has, and how many of each."""

    def __init__(self, by_kind: Mapping[str, Iterable[str]]) -> None:
        self._kinds: dict[str, list[str]] = {}
        for kind, cues in by_kind.items():
            for cue in cues:
                self._kinds.setdefault(cue, []).append(kind)
        self._lengths: dict[str, set[int]] = {}
        for cue in self._kinds:
            self._lengths.setdefault(cue[0], set()).add(len(cue))

    def found(self, text: str) -> dict[str, int]:
        """How many different cues of each kind the text has; `text` as `spaced` gives it."""
        seen = {
            text[start : start + length]
            for start in _starts(text)
            for length in self._lengths.get(text[start], ())
            if text[start : start + length] in self._kinds
        }
        counts: dict[str, int] = {}
        for cue in seen:
            for kind in self._kinds[cue]:
                counts[kind] = counts.get(kind, 0) + 1
        return counts


def spaced(text: str) -> str:
    """The words of a text in lower case, each with one space behind it.

    >>> spaced("That's WRONG!")
    'that s wrong '
    """
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(f"{word} " for word in _WORD.findall(folded))


def mood_of(text: str) -> float:
    """How positive a text sounds, from -1 to 1, by its cue words; 0 without any.

    >>> mood_of("I love it, thank you"), mood_of("That was awful"), mood_of("It is Monday")
    (1.0, -1.0, 0.0)
    """
    found = load_cues("sentiment").found(spaced(text))
    return mood(found.get("positive", 0), found.get("negative", 0))


@cache
def load_cues(table: str) -> Cues:
    """The cues of one table of the bundled file."""
    text = (files("sharpwave") / "data" / "cues.toml").read_text("utf-8")
    return Cues(tomllib.loads(text)[table])


def _starts(text: str) -> list[int]:
    """Where a cue can begin: at words, and at any letter of a script without spaces."""
    return [
        at
        for at, letter in enumerate(text)
        if at == 0 or text[at - 1] == " " or _UNSPACED.match(letter)
    ]
