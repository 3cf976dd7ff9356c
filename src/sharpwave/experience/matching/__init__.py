"""Names, queries, errors and answers, read by rules: no store, no clock."""
