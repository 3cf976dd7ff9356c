"""Hooks of coding agents: what they tell us, and what we put before the model."""
