"""How well recall finds what was said, on public conversations, beside other retrievers."""
