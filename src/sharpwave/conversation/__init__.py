"""A language model reads conversations in the background: what they change in what is known."""
