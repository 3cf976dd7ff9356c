"""`sharpwave eval` with all its commands."""

from sharpwave.interfaces.cli import (
    evaluate,
    evaluate_extraction,
    evaluate_privacy,
    evaluate_writing,
)
from sharpwave.interfaces.cli.agents import evaluate as evaluate_experience
from sharpwave.interfaces.cli.evals import (
    feedback,
    judging,
    prompts,
    recall,
    skills,
    sleep,
    steering,
)

app = evaluate.app
for part in (
    evaluate_privacy,
    recall,
    judging,
    steering,
    skills,
    feedback,
    sleep,
    prompts,
    evaluate_writing,
    evaluate_experience,
    evaluate_extraction,
):
    part.register(app)
