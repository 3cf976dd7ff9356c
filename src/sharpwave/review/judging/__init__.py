"""What the user says is right or wrong, and how that fits what we believed."""
