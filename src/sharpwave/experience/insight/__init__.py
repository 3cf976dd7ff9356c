"""Lessons in plain words: drawn, put together, checked and stored."""
