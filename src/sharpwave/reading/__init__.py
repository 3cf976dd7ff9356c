"""From text to statements: clauses, facts, tasks, names, standing instructions. Pure."""
