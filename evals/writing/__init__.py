"""Evaluations of the write path: what is found in a text, when, and what changed."""
