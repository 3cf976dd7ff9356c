"""Importers: exports of other programs as messages to remember, and our own export format."""
