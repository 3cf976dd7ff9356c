"""Asking a language model on behalf of a user."""
