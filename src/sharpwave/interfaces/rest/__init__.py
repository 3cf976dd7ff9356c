"""The REST API: parse, one call of the facade, render."""
