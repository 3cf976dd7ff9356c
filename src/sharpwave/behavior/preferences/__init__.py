"""Preferences by category and key, and what a correction teaches."""
