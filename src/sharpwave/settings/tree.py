"""All settings. Each is defined once in this folder: default, range, unit and meaning.

Settings come, in increasing priority, from the defaults here, a TOML file, `SHARPWAVE_*`
environment variables (`SHARPWAVE_RECALL__K=8`) and arguments; `wiring.py` reads them. Flows get
only the group they need. Formulas have no defaults, so no number is defined twice.
"""

from pathlib import Path

from pydantic import Field

from sharpwave.settings.core import (
    BehaviorSettings,
    ContextSettings,
    Group,
    RecallSettings,
    RememberSettings,
    RetentionSettings,
    SkillSettings,
    SleepSettings,
)
from sharpwave.settings.models import EmbedderSettings, LLMSettings, NamesSettings, RerankerSettings
from sharpwave.settings.privacy import PrivacySettings
from sharpwave.settings.server import McpSettings, ProxySettings, ServerSettings
from sharpwave.settings.storage import (
    EncryptionSettings,
    IndexSettings,
    PostgresSettings,
    StoreSettings,
)


class Settings(Group):
    """All settings. Every group can be given completely, partly, or not at all."""

    path: Path | None = Field(
        None, description="The database file; default: a file in the user's data folder."
    )
    user: str = Field("default", min_length=1, description="User if none is given.")
    remember: RememberSettings = RememberSettings()
    recall: RecallSettings = RecallSettings()
    skills: SkillSettings = SkillSettings()
    context: ContextSettings = ContextSettings()
    behavior: BehaviorSettings = BehaviorSettings()
    weights_file: Path | None = Field(
        None, description="Your own weights file instead of the bundled one [SCO-13]."
    )
    index: IndexSettings = IndexSettings()
    store: StoreSettings = StoreSettings()
    postgres: PostgresSettings = PostgresSettings()
    encryption: EncryptionSettings = EncryptionSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    names: NamesSettings = NamesSettings()
    llm: LLMSettings = LLMSettings()
    sleep: SleepSettings = SleepSettings()
    retention: RetentionSettings = RetentionSettings()
    privacy: PrivacySettings = PrivacySettings()
    reranker: RerankerSettings = RerankerSettings()
    mcp: McpSettings = McpSettings()
    server: ServerSettings = ServerSettings()
    proxy: ProxySettings = ProxySettings()
