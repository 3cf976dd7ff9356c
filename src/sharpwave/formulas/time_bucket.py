"""Which episodic shard something belongs to by its age [TMP-03, EPI-03]."""

from sharpwave.types.records import Temperature


def time_bucket(age_days: float, hot_days: float, warm_days: float) -> Temperature:
    """Hot, warm or cold.

        hot  if age_days <= hot_days
        warm if age_days <= warm_days
        cold otherwise

    What lies in the future is hot.

    >>> time_bucket(3.0, hot_days=14.0, warm_days=90.0).value
    'hot'
    >>> time_bucket(90.0, hot_days=14.0, warm_days=90.0).value
    'warm'
    """
    if age_days <= hot_days:
        return Temperature.HOT
    return Temperature.WARM if age_days <= warm_days else Temperature.COLD
