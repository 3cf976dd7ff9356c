"""The part of the facade that is about how well all of it works."""
