"""Whether learning how a person wants to be helped helps."""
