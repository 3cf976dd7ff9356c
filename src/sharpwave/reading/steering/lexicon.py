"""Classes of words that tell steering from everything else. Small, closed, written by hand."""


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
"""How something is done: an imperative of these may be meant for good."""

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
"""Where something goes: for good if it is said against an answer."""

SPEAKING = words("write answer respond reply speak talk explain")
"""Of these only the manner is for good: in plain English, as for a child."""

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
"""What a team does as a rule; "we" before one of them tells how things are done there."""

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
