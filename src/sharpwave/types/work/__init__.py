"""What agents did, and what was learned from it."""
