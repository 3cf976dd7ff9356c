"""`python -m evals` with all its commands."""

from evals.commands import (
    experience,
    extraction,
    feedback,
    judging,
    pii,
    prompts,
    recall,
    skills,
    sleep,
    steering,
    temporal,
    vectors,
)

app = vectors.app
for part in (
    pii, recall, judging, steering, skills, feedback, sleep, prompts, temporal, experience, extraction,
):  # fmt: skip
    part.register(app)
