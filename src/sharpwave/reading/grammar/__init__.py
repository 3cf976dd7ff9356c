"""How a text is read: words, clauses, who does what. What it is about is for the families."""
