"""Interactions that are still going on: kept step by step, known to every process."""
