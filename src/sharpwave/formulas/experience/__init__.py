"""Pure functions of experience: sequences, chance, track records."""
