"""Logs of agents as tasks to learn from: one file per format."""
