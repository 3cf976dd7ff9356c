"""All settings, by topic; `Settings` holds every group."""

from sharpwave.settings.tree import Settings

__all__ = ["Settings"]
