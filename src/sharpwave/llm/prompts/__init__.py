"""Prompts for language models, each with its version and the form of its answer."""
