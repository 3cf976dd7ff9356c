"""Work for later, what models cost, and what users agreed to, in the same database."""
