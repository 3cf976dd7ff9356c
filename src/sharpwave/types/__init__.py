"""Frozen dataclasses shared by the packages. They import nothing else of Sharpwave."""
