"""The per-user recall index in memory: derived from the store, and following it."""
