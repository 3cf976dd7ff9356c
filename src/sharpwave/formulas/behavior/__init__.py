"""How behavior is learned, one file per quantity."""
