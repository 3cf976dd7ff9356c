"""Sharpwave as the memory of agent frameworks: one module each, over the same small core."""
