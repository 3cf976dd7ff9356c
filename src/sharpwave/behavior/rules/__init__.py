"""The rules that were learned: settled, reviewed, shown."""
