"""Answers of the facade as pages show them: words, rows, options of charts. Nothing is drawn."""
