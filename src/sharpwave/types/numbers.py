"""Integers in JSON input."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field


def _whole(given: Any) -> Any:
    """Reject strings and booleans as integers; 34.0 is accepted."""
    if isinstance(given, bool | str):
        raise ValueError("a whole number is needed")
    return given


Whole = Annotated[int, Field(strict=False)]
IsWhole = BeforeValidator(_whole)
