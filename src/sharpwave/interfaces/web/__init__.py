"""The dashboard: see, correct and trust what was learned."""
