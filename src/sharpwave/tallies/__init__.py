"""Running numbers that can be made anew: small rows of JSON by topic and name."""
