"""Time expressions of a text ("last Tuesday", "since March"), resolved against its own date."""

from sharpwave.temporal.expressions.finding import find
from sharpwave.temporal.expressions.validity import valid_interval

__all__ = ["find", "valid_interval"]
