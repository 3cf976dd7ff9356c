"""How a user wants to be helped: rules, preferences, skills and style, learned from the user."""
