"""Where memories live: one contract (`check.py`), and the stores that pass it."""
