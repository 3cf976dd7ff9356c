"""How good and how fast Sharpwave is, beside others, on public data: `python -m evals`."""
