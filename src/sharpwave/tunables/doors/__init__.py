"""The tunable numbers of the doors, and of what tells others."""
