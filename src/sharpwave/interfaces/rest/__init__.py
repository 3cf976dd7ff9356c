"""The REST door: parse, one call of the facade, render."""
