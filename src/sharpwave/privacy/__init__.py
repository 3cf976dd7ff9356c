"""Sensitive content: what a text holds (`findings`), and the text without it (`redaction`).

Pure and linear in the length of the text.
"""
