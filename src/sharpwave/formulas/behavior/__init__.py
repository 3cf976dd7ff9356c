"""Formulas of behavior."""
