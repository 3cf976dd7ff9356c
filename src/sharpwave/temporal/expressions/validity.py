"""From when to when a fact holds, by the time expression it was told with."""

from datetime import datetime

from sharpwave.types.times import Relation, TimeExpression, TimeKind

Interval = tuple[datetime | None, datetime | None]
_NOT_A_DATE = frozenset({TimeKind.DURATION, TimeKind.SET, TimeKind.TIME, TimeKind.TIMERANGE})


def valid_interval(expression: TimeExpression) -> Interval:
    """`valid_from` and `valid_to` of what is said with this expression; None is open.

    "Since March" is from 1 March on, "until Friday" up to the end of Friday, "last summer" the
    whole summer. A time of day, a duration or a repetition says nothing about validity.
    """
    if expression.kind in _NOT_A_DATE:
        return None, None
    if expression.relation in (Relation.SINCE, Relation.AFTER):
        return expression.start, None
    if expression.relation in (Relation.UNTIL, Relation.BEFORE):
        return None, expression.end
    return expression.start, expression.end
