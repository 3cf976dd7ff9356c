"""Formulas of recall: what is served first, how far it can be believed, and what varies it."""
