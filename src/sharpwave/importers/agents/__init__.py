"""Logs of agents as task runs to learn from."""
