"""Rules by what they are about. Each file has `RULES`: by verb, what a clause with it says."""
