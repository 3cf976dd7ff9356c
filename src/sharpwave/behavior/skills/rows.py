"""The running numbers of one person: small rows of JSON by topic and name.

They can always be made anew from the records, so nothing here is the truth.
"""

SKILL, STYLE, PERSON = "skill", "style", "person"
COUNTS = "counts"
"""The one row of PERSON; it is there as soon as anything was learned."""
GENERAL = "all"
"""The row of STYLE that is about every context."""


def odds_of(bucket: int) -> str:
    """The topic of the odds in one context; its rows are named after skills."""
    return f"odds/{bucket}"


def topics(buckets: int) -> list[str]:
    """Every topic there may be."""
    return [SKILL, STYLE, PERSON, *(odds_of(bucket) for bucket in range(buckets))]
