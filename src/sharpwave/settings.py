"""Every tunable number, once: its default, range, unit and meaning.

Settings come, weakest first, from the defaults here, a TOML file, `SHARPWAVE_*` environment
variables (`SHARPWAVE_RECALL__K=8`) and arguments; `wiring.py` reads them. Flows get only the group
they need. Formulas have no defaults, so no number can have a second home.
"""

from pathlib import Path
from typing import Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, SecretStr, field_validator, model_validator

from sharpwave.tunables.client import ClientSettings
from sharpwave.tunables.context import ContextSettings
from sharpwave.tunables.entities import EntitySettings
from sharpwave.tunables.experience import ExperienceSettings
from sharpwave.tunables.group import Group
from sharpwave.tunables.hooks import HookSettings
from sharpwave.tunables.mcp import McpSettings
from sharpwave.tunables.reading import ReadingSettings
from sharpwave.tunables.retention import RetentionSettings
from sharpwave.tunables.server import ServerSettings
from sharpwave.tunables.skills import SkillSettings
from sharpwave.tunables.sleep import SleepSettings
from sharpwave.tunables.steering import SteeringSettings
from sharpwave.types.llm import LLMRole
from sharpwave.types.privacy import Action

MIB = 1024 * 1024
MAX_RECALLED = 1000
"""The most records one recall may be asked for."""


class RememberSettings(Group):
    """The write path."""

    max_text_bytes: int = Field(MIB, ge=1, description="Longest text one record may hold, UTF-8.")
    max_name_chars: int = Field(
        256, ge=1, description="Longest user, session, speaker, scope, tag or idempotency key."
    )
    max_metadata_bytes: int = Field(64 * 1024, ge=2, description="Largest metadata, as JSON.")
    max_tags: int = Field(64, ge=0, description="Most tags one record may carry.")
    batch_records: int = Field(
        500, ge=1, le=10_000, description="Records at once when importing, exporting or embedding."
    )
    hot_days: float = Field(14.0, gt=0, description="Up to this age a turn is hot [EPI-03].")
    warm_days: float = Field(90.0, gt=0, description="Up to this age it is warm, then cold.")
    initial_importance: float = Field(
        0.2, ge=0, le=1, description="Importance of a plain turn, the chit-chat class [SCO-08]."
    )
    initial_confidence: float = Field(
        1.0, ge=0, le=1, description="Confidence that a turn was said: it was, we heard it."
    )
    timezone: str = Field(
        "UTC", description='Where users are who do not say: "tomorrow" depends on it.'
    )
    extract: bool = Field(
        True, description="Learn facts, tasks and notes from what is said, by rules [WR-02]."
    )
    extract_with_llm: bool = Field(
        True, description="If a language model is set up, let it read the turns too, afterwards."
    )

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of users who do not say."""
        return ZoneInfo(self.timezone)

    @field_validator("timezone")
    @classmethod
    def _is_a_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"there is no time zone {name!r}; use a name such as UTC") from error
        return name

    @model_validator(mode="after")
    def _warm_after_hot(self) -> Self:
        if self.warm_days < self.hot_days:
            raise ValueError("warm_days must not be less than hot_days")
        return self


class KnowledgeSettings(Group):
    """How facts, tasks and notes settle among what is known."""

    min_confidence: float = Field(
        0.7, ge=0, le=1, description="Less sure than this is not stored as a fact [WR-04]."
    )
    max_statement_chars: int = Field(
        300, ge=20, description="A subject, object or sentence that is longer is no statement."
    )
    novelty_cosine: float = Field(
        0.92, gt=0, le=1, description="As near as this means the same thing said again [WR-03]."
    )
    look_cosine: float = Field(
        0.8,
        ge=0,
        le=1,
        description="Sentences that are less near are not compared by their objects.",
    )
    compared: int = Field(
        200,
        ge=0,
        description="Newest facts of a kind among which the same in other words is sought.",
    )
    reinforce_gain: float = Field(
        0.3, ge=0, le=1, description="Share of the remaining doubt that each sighting removes."
    )
    max_variants: int = Field(
        3, ge=0, description="Variants kept beside a fact; the weakest is replaced [REC-04]."
    )
    change_of_mind_days: float = Field(
        30.0, ge=0, description="A contradiction of what was last said so long ago is a change."
    )
    independent_sources: int = Field(
        2, ge=2, description="Sources that must agree before untrusted facts enter the profile."
    )
    echo_hours: float = Field(
        1.0, ge=0, description="What was recalled so lately is no new evidence from an assistant."
    )
    max_notes: int = Field(100, ge=1, description="Notes kept; the least worth go first [REF-07].")
    note_confidence: float = Field(
        0.7, ge=0, le=1, description="Confidence of a note nobody rated [REF-05]."
    )
    note_importance: float = Field(0.4, ge=0, le=1, description="Importance of a note.")
    note_tau_days: float = Field(
        30.0, gt=0, description="A note is worth 1/e after so long without being seen."
    )
    task_importance: float = Field(0.6, ge=0, le=1, description="Importance of a task.")
    same_task_share: float = Field(
        0.75, gt=0, le=1, description="Titles that share this much of their words are one task."
    )
    done_task_share: float = Field(
        0.5, gt=0, le=1, description="Enough shared words to tell which task was finished."
    )
    due_soon_days: float = Field(3.0, gt=0, description="A task due within this time is due soon.")
    retries: int = Field(
        8, ge=1, description="Tries to write when others keep changing the same facts."
    )


class SourceReliability(Group):
    """How reliable what comes from each source is [SCO-09]."""

    user_message: float = Field(0.95, ge=0, le=1, description="The user's own words.")
    tool: float = Field(0.94, ge=0, le=1, description="A tool: the middle of 0.9 to 0.98.")
    system: float = Field(0.8, ge=0, le=1, description="The program around.")
    inferred: float = Field(0.7, ge=0, le=1, description="Worked out from other memories.")
    web: float = Field(0.6, ge=0, le=1, description="A web page.")
    imported: float = Field(0.6, ge=0, le=1, description="Another program's export.")


class RecallSettings(Group):
    """The read path."""

    k: int = Field(16, ge=1, le=MAX_RECALLED, description="Records a recall returns [RD-03].")
    candidates: int = Field(
        50, ge=1, le=10_000, description="Candidates each retriever contributes [RD-02]."
    )
    decay_per_day: float = Field(
        0.001, ge=0, lt=1, description="Confidence a fact loses a day unseen and unused [TMP-06]."
    )
    spare: int = Field(
        8, ge=0, description="Records read beyond k, to have something to choose from."
    )
    near_misses: int = Field(5, ge=0, description="Candidates told of that were left out [RD-22].")
    looked_at: int = Field(
        20, ge=2, description="Candidates that a cross-encoder, if one is set up, looks at again."
    )
    floor_candidates: int = Field(
        20,
        ge=1,
        description="With fewer candidates than this they are given even if off-topic.",
    )
    rrf_k: float = Field(
        60.0,
        gt=0,
        description="Rank constant of reciprocal rank fusion: larger is flatter [RD-09].",
    )
    shortlist: int = Field(
        64, ge=1, le=1000, description="Best candidates of all retrievers that are scored."
    )
    balance: float = Field(
        0.9, ge=0, le=1, description="MMR: 1 is relevance alone, less seeks variety [RD-07]."
    )
    same_cosine: float = Field(
        0.97, gt=0, le=1, description="Texts as near as this say the same; the better one is kept."
    )
    assert_at: float = Field(
        0.8, ge=0, le=1, description="As sure as this, it can be said outright [CNF-01]."
    )
    hedge_at: float = Field(0.6, ge=0, le=1, description="As sure as this, with a hedge [CNF-01].")
    floor_known: float = Field(
        0.2, ge=0, le=1, description="Share of a question's words that must be known, or else …"
    )
    floor_cosine: float = Field(
        0.3, ge=0, le=1, description="… the cosine of the best that must be reached, or else …"
    )
    floor_tokens: float = Field(
        0.25, ge=0, le=1, description="… its match by tokens; below all three nothing is given."
    )
    recency_days: float = Field(
        7.0, gt=0, description="Turns are worth 1/e as fresh after so long [SCO-06]."
    )
    lasting_days: float = Field(
        30.0, gt=0, description="The same for facts, tasks and notes [SCO-06]."
    )
    frequency_scale: float = Field(
        3.0, gt=0, description="Sightings after which most of the frequency is gained [SCO-07]."
    )
    enough_votes: int = Field(
        3, ge=1, description="Independent observations that are enough [SCO-10]."
    )
    reliability: SourceReliability = SourceReliability()
    entities: EntitySettings = EntitySettings()
    max_query_bytes: int = Field(64 * 1024, ge=1, description="Longest query, UTF-8.")


class IndexSettings(Group):
    """The in-memory recall index of each user."""

    budget_mib: int = Field(
        1024, ge=1, description="Memory all recall indexes may take before the least used go."
    )
    rescore: int = Field(
        400, ge=10, description="Records that are fetched and scored with their full vectors."
    )
    rescore_share: float = Field(
        0.01, gt=0, le=1, description="At most this share of a small user's records is fetched."
    )
    beside: int = Field(
        20, ge=0, description="The turns before and after this many of the best are candidates too."
    )
    shortlist_factor: int = Field(
        4, ge=1, description="Of the scan by sign bits, this many times more are looked at again."
    )
    bm25_k1: float = Field(1.2, ge=0, le=3, description="BM25: how fast repeated terms saturate.")
    bm25_b: float = Field(0.75, ge=0, le=1, description="BM25: how much long texts are held back.")
    common_term_share: float = Field(
        0.1,
        gt=0,
        le=1,
        description="A term in more than this share of the records is skipped if rarer ones match.",
    )
    common_term_floor: int = Field(
        1000, ge=0, description="Below this many records no term counts as common."
    )
    max_terms: int = Field(16_384, ge=1, description="Terms of one text that keyword search knows.")
    max_word_chars: int = Field(64, ge=4, description="Longer words are cut to this.")
    cached_words: int = Field(65_536, ge=0, description="Words whose stems are kept in memory.")
    tail_records: int = Field(
        2048, ge=16, description="New records gathered before they become a compact segment."
    )
    snapshot_min_records: int = Field(
        2000, ge=1, description="Users with fewer records are indexed from their rows on load."
    )
    snapshot_growth: float = Field(
        0.2, gt=0, description="Save a new snapshot after the index grew by this share."
    )
    load_batch: int = Field(5000, ge=1, description="Rows read at once while following the store.")


class StoreSettings(Group):
    """The SQLite file."""

    synchronous: Literal["FULL", "NORMAL", "OFF"] = Field(
        "FULL", description="Anything but FULL loses acknowledged memories in a power cut."
    )
    busy_timeout_s: float = Field(
        30.0, gt=0, le=600, description="How long a write waits for other processes to finish."
    )
    cache_mib: int = Field(64, ge=1, description="Page cache of each connection.")
    journal_limit_mib: int = Field(
        64, ge=1, description="Size the write-ahead log shrinks back to."
    )
    readers: int = Field(4, ge=2, le=64, description="Reading connections kept open.")
    group_commit_max: int = Field(
        256, ge=1, description="Most calls that share one transaction and one disk sync."
    )
    touch_flush_s: float = Field(
        2.0, gt=0, description="Access counts reach the disk at the latest after this long."
    )
    scrub_at_once_mib: int = Field(
        64, ge=0, description="Up to this size the file is rewritten with every erasure."
    )
    scrub_at_night_mib: int = Field(1024, ge=0, description="Up to this size, in sleep.")
    scrub_wait_s: float = Field(
        0.5, ge=0, le=10, description="How long that waits for readers; nobody can write meanwhile."
    )
    outbox_keep: int = Field(10_000, ge=1, description="Events kept for listeners to catch up.")
    allow_network_filesystem: bool = Field(
        False, description="WAL needs shared memory; on a network filesystem it corrupts files."
    )


class EncryptionSettings(Group):
    """Encryption of the whole file, compatible with SQLCipher 4. Give at most one source."""

    passphrase: SecretStr | None = Field(None, description="A passphrase; derived by PBKDF2.")
    key: SecretStr | None = Field(None, description="A raw key: 64 hexadecimal digits.")
    key_file: Path | None = Field(None, description="A file with the raw key in it, mode 0600.")
    keyring: str | None = Field(
        None, description="Name of the key in the system keyring (needs the keyring extra)."
    )


class EmbedderSettings(Group):
    """Which embedder turns text into vectors."""

    provider: Literal["sharpwave", "hash", "openai", "sentence-transformers"] = Field(
        "sharpwave",
        description="sharpwave: by meaning, a table of our own. hash: spelling only, no model. "
        "openai: any OpenAI-compatible endpoint. sentence-transformers: a model in a folder.",
    )
    model_folder: Path | None = Field(None, description="A sentence-transformers model [MDL-01].")
    device: Literal["cpu", "cuda", "auto"] = Field("cpu", description="Where that model runs.")
    table_file: Path | None = Field(
        None, description="A table of your own for the sharpwave embedder, not the bundled one."
    )
    hash_dimension: int = Field(384, ge=32, le=4096, multiple_of=8, description="Size of a vector.")
    model: str = Field("text-embedding-3-small", description="Model name sent to the endpoint.")
    base_url: str | None = Field(None, description="Address of an OpenAI-compatible endpoint.")
    api_key: SecretStr | None = Field(None, description="Key for that endpoint.")
    dimension: int | None = Field(None, ge=1, description="Vector size to ask the endpoint for.")
    timeout_s: float = Field(30.0, gt=0, description="Longest wait for one request.")
    retries: int = Field(2, ge=0, description="Further tries after a failed request.")
    batch_size: int = Field(128, ge=1, description="Texts in one request.")
    cache_entries: int = Field(4096, ge=0, description="Vectors kept for texts seen lately.")


class LLMModels(Group):
    """Which model plays which role [LLM-02]."""

    default: str = Field("", description="Model of every role that has none of its own.")
    analyzer: str = Field("", description="Model that finds patterns in what happened.")
    generator: str = Field("", description="Model that writes texts.")
    optimizer: str = Field("", description="Model that improves instructions and skills.")
    utility: str = Field("", description="Small model for extraction, reflection and checks.")

    def of(self, role: LLMRole) -> str:
        """The model of a role; empty if none is named."""
        own: str = getattr(self, role.value)
        return own or self.default


class LLMSettings(Group):
    """The language model, if there is one. Without one, rules do its work [LLM-05]."""

    provider: Literal["none", "openai"] = Field(
        "none", description="none: rules only. openai: any OpenAI-compatible endpoint."
    )
    base_url: str | None = Field(None, description="Address of an OpenAI-compatible endpoint.")
    api_key: SecretStr | None = Field(None, description="Key for that endpoint.")
    models: LLMModels = LLMModels()
    timeout_s: float = Field(60.0, gt=0, description="Longest wait for one request.")
    deadline_s: float = Field(
        180.0, gt=0, description="Longest wait for one call, with all its further tries."
    )
    retries: int = Field(2, ge=0, le=20, description="Further tries after a failed request.")
    backoff_s: float = Field(
        0.5, gt=0, description="Wait before the first further try; then twice as long each time."
    )
    max_output_tokens: int = Field(4096, ge=1, description="Longest answer to ask for, in tokens.")
    max_answer_bytes: int = Field(
        4 * MIB, ge=1024, description="Longest answer that is read; more is refused."
    )
    input_price: float = Field(
        0.0, ge=0, description="Price of a million tokens sent, of the dearest model in use."
    )
    output_price: float = Field(
        0.0, ge=0, description="Price of a million tokens answered, of the dearest model in use."
    )
    daily_calls: int = Field(2000, ge=0, description="Most calls a user and day.")
    daily_tokens: int = Field(
        2_000_000, ge=0, description="Most tokens a user and day, sent and answered together."
    )
    daily_cost: float | None = Field(
        None, ge=0, description="Most money a user and day, in the currency of the prices."
    )


class Policy(Group):
    """What is done with sensitive content, by class: store, redact or refuse the whole item."""

    secret: Action = Field(
        Action.REDACT, description="Keys, tokens, passwords, PINs [SEC-10, WR-05]."
    )
    financial: Action = Field(
        Action.REDACT, description="Cards, IBANs, account numbers [SEC-10, WR-05]."
    )
    government_id: Action = Field(
        Action.REDACT, description="Social security, passport and licence numbers [WR-05]."
    )
    contact: Action = Field(Action.STORE, description="E-mail addresses, phones [SEC-10, WR-05].")
    network: Action = Field(Action.STORE, description="IP addresses, URLs, domains [WR-05].")
    person: Action = Field(Action.STORE, description="Names, as far as rules find them [WR-05].")
    place: Action = Field(Action.STORE, description="Addresses and places, likewise [WR-05].")
    health: Action = Field(Action.STORE, description="Diagnoses and medicines, likewise [WR-05].")


class EgressPolicy(Policy):
    """The same for what leaves this machine; store means that it may leave."""

    contact: Action = Field(Action.REDACT, description="E-mail addresses, phones [SEC-10, WR-05].")
    network: Action = Field(Action.REDACT, description="IP addresses, URLs, domains [WR-05].")


class PrivacySettings(Group):
    """Sensitive content: what is kept here, and what may go to a model elsewhere."""

    consent_assumed: bool = Field(
        True,
        description="Users who said nothing agree to be remembered. True for one's own file; on a "
        "server, ask each user first.",
    )
    egress_assumed: bool = Field(
        True,
        description="Users who said nothing agree that redacted text goes to the model you set up.",
    )
    population_assumed: bool = Field(
        False,
        description="Users who said nothing agree that counts of what they liked are added up "
        "with those of others, never words [PV-12].",
    )
    stored: Policy = Policy()
    egress: EgressPolicy = EgressPolicy()


class JobSettings(Group):
    """Work in the background."""

    lease_s: float = Field(
        600.0, gt=0, description="A job whose worker is silent for so long is given to another."
    )
    attempts: int = Field(5, ge=1, description="Tries before a job is given up.")
    backoff_s: float = Field(
        30.0, gt=0, description="Wait before the second try; then twice as long each time."
    )
    poll_s: float = Field(
        15.0, gt=0, description="How often the background looks for jobs that became due."
    )


class RerankerSettings(Group):
    """What takes a second look at the best candidates."""

    provider: Literal["tokens", "cross-encoder", "none"] = Field(
        "tokens",
        description="tokens: piece by piece, with the sharpwave embedder's table, a millisecond. "
        "cross-encoder: a transformer of your own, some ten milliseconds a text. none: no look.",
    )
    folder: Path | None = Field(
        None, description="Where the cross-encoder's model.onnx and tokenizer.json are."
    )
    max_tokens: int = Field(
        256, ge=8, le=8192, description="Tokens of question and text that a cross-encoder reads."
    )
    neighbour_share: float = Field(
        0.1,
        ge=0,
        le=1,
        description="How much of its better neighbour's score a turn gets on top of its own.",
    )


class Settings(Group):
    """All settings. Every group can be given in full, in part, or not at all."""

    path: Path | None = Field(
        None, description="The database file; default: a file in the user's data folder."
    )
    user: str = Field("default", min_length=1, description="User when none is named.")
    remember: RememberSettings = RememberSettings()
    knowledge: KnowledgeSettings = KnowledgeSettings()
    recall: RecallSettings = RecallSettings()
    experience: ExperienceSettings = ExperienceSettings()
    skills: SkillSettings = SkillSettings()
    context: ContextSettings = ContextSettings()
    steering: SteeringSettings = SteeringSettings()
    reading: ReadingSettings = ReadingSettings()
    weights_file: Path | None = Field(
        None, description="A weights file of your own instead of the bundled one [SCO-13]."
    )
    index: IndexSettings = IndexSettings()
    store: StoreSettings = StoreSettings()
    encryption: EncryptionSettings = EncryptionSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    llm: LLMSettings = LLMSettings()
    jobs: JobSettings = JobSettings()
    sleep: SleepSettings = SleepSettings()
    retention: RetentionSettings = RetentionSettings()
    privacy: PrivacySettings = PrivacySettings()
    reranker: RerankerSettings = RerankerSettings()
    mcp: McpSettings = McpSettings()
    hooks: HookSettings = HookSettings()
    server: ServerSettings = ServerSettings()
    client: ClientSettings = ClientSettings()
