"""What is known: how facts, tasks and notes settle among what is known already. Pure, no I/O."""
