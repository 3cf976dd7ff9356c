"""How a person wants to be helped: rules, skills and style, learned from what the person says."""
