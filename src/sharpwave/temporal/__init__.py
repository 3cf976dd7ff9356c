"""Time: the clock, validity of records, and time expressions in text."""
