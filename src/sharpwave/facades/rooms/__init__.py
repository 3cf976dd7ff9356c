"""The rooms behind the facade, by name."""
