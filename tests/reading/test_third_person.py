"""What agents say of the user, in the third person: the share found must not fall."""

from tests.reading.third_person import score

RECALL = 0.95
"""0.97 of 36 when it was set."""
PRECISION = 0.95
"""1.00 when it was set."""


def test_developed() -> None:
    total = score("developed")
    assert not (total.missed or total.extra or total.false)


def test_kept_apart() -> None:
    total = score("apart")
    assert total.recall >= RECALL, total.missed
    assert total.precision >= PRECISION, total.extra
    assert not total.false
