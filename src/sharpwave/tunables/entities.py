"""The numbers behind recalling by the people and things a question names."""

from pydantic import Field

from sharpwave.tunables.group import Group


class EntitySettings(Group):
    """What the graph adds to the candidates of a recall [KG-02]."""

    named: int = Field(3, ge=0, description="Names of a question that are looked up; 0 for none.")
    tried: int = Field(12, ge=1, description="Words of it that may be names.")
    of_a_role: int = Field(3, ge=1, description="People of one role, such as sisters, looked up.")
    records: int = Field(16, ge=0, description="Newest records of each that become candidates.")
    neighbours: int = Field(6, ge=0, description="Entities related to it that are looked at.")
    beside: int = Field(4, ge=0, description="Newest facts of each of them that become candidates.")
