"""Patterns that read facts out of clauses, by theme; each waits for certain verbs."""
