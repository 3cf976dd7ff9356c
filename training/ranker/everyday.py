"""People of the corpus as conversations with questions.

Only those kept for validation: for people it was trained on, the encoder's cosines are too good. A
half of them is held out.
"""

from collections.abc import Iterator
from datetime import timedelta

from evals import people
from evals.talks import Question, Talk, Turn
from training.corpus import PEOPLE, is_validation, more_questions

SECONDS_BETWEEN_TURNS = 40
FURTHER = "further"
"""The category of the questions that were written later, more of them and about smaller things."""


def talks() -> Iterator[Talk]:
    """Each person with the questions."""
    kept = [person for person in people.load(PEOPLE) if is_validation(person.id)]
    for number, person in enumerate(kept):
        held_out = number % 2 == 1
        turns = [
            Turn(
                turn.id,
                turn.text,
                turn.role,
                None,
                turn.session,
                turn.starts + timedelta(seconds=SECONDS_BETWEEN_TURNS * place),
            )
            for place, turn in enumerate(person.turns)
        ]
        questions = [
            Question(
                f"{person.id}:{asked.id}",
                asked.text,
                asked.kind,
                asked.evidence,
                asked.at,
                asked.kind != "absent",
                held_out,
            )
            for asked in person.questions
        ]
        at = max(asked.asked_at for asked in questions)
        questions += [
            Question(
                f"{person.id}:{number}",
                line["q"],
                FURTHER,
                tuple(line["evidence"]),
                at,
                bool(line["evidence"]),
                held_out,
            )
            for number, line in enumerate(more_questions(person.id))
            if "q" in line
        ]
        yield Talk(f"{person.id}-0", tuple(turns), tuple(questions))
