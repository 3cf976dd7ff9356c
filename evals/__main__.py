"""`python -m evals`: lists what can be measured."""

from evals.commands.every import app

app()
