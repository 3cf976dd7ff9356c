"""A store that keeps everything in dictionaries: the reference for the others."""
