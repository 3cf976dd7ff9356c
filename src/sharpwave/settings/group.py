"""What every group of settings is made of."""

from pydantic import BaseModel, ConfigDict


class Group(BaseModel):
    """A frozen group of settings; unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")
