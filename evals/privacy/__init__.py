"""Evaluations of what is found to be sensitive, or suspicious."""
