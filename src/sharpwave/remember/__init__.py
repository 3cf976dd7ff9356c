"""The write path: `flow.py` is its order, each other file one step."""
