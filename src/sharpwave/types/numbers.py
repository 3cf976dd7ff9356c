"""Numbers as callers write them."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field


def _whole(given: Any) -> Any:
    """In JSON 34.0 is a whole number, and neither "34" nor true is one."""
    if isinstance(given, bool | str):
        raise ValueError("a whole number is needed")
    return given


Whole = Annotated[int, Field(strict=False)]
IsWhole = BeforeValidator(_whole)
