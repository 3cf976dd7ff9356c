"""Models that run on this machine, from folders: nothing is downloaded."""
