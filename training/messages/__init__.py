"""Labelled messages, and how the bundled model of intents and sentiments is fitted to them."""
