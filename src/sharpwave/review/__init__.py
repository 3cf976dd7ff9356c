"""What is known, to look at and to set right: facts and their history, conflicts, tasks, trust."""
