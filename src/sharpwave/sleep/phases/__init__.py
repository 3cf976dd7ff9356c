"""The parts of a night, one file each; `cycle.py` has them in order."""
