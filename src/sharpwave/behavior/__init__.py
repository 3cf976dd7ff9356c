"""How the user wants to be helped: steering, rules, preferences."""
