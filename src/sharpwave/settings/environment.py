"""Settings from `SHARPWAVE_*` variables; loaded only where there are any."""

from typing import Any

from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict, SettingsError

from sharpwave.errors import InvalidSettings
from sharpwave.settings.tree import Settings


class _EnvironmentSettings(Settings, BaseSettings):
    """The settings by the names of their variables; never instantiated."""

    model_config = SettingsConfigDict(
        env_prefix="SHARPWAVE_", env_nested_delimiter="__", defer_build=True
    )


def read() -> dict[str, Any]:
    """The values of the variables, in groups; not yet validated."""
    try:
        return EnvSettingsSource(_EnvironmentSettings)()
    except SettingsError as error:
        raise InvalidSettings(f"a SHARPWAVE_ variable cannot be read: {error}") from error
