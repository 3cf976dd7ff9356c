"""What a text says, by rules: facts, tasks, notes and names. No I/O, no model, no state."""
