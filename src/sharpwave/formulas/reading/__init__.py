"""Quantities of reading: what a remark means, learned from phrases."""
