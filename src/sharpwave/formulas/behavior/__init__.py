"""Quantities of behavior: what feedback means, how a style moves."""
