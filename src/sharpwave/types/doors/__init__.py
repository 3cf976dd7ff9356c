"""Who comes in by a door, and what the doors tell."""
