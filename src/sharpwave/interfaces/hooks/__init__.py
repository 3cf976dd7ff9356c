"""Hooks of coding agents: events to remember, and context for the model."""
