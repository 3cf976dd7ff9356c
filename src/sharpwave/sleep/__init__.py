"""Consolidation in the background. `cycle.py` has the phases in order."""
