"""The numbers behind recalling by the people and things a question names."""

from pydantic import Field

from sharpwave.tunables.group import Group


class EntitySettings(Group):
    """What the graph adds to the candidates of a recall [KG-02]."""

    named: int = Field(3, ge=0, description="Names of a question that are looked up; 0 for none.")
    tried: int = Field(12, ge=1, description="Words of it that may be names.")
    other_names: int = Field(3, ge=0, description="Other names of each that are searched for too.")
    records: int = Field(16, ge=0, description="Newest records of each that become candidates.")
    neighbours: int = Field(6, ge=0, description="Entities related to it that are looked at.")
    beside: int = Field(4, ge=0, description="Newest facts of each of them that become candidates.")
