"""Importers: what other programs exported, as messages to remember. One file per format."""
