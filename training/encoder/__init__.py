"""The sentence encoder: its training, and the file that the package carries."""
