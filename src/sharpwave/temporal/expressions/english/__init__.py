"""English as it is written: words of time, numbers, feasts, and a text in pieces."""
