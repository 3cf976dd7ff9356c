"""Grammar of a text: words, clauses, who does what. Meaning is for the patterns."""
