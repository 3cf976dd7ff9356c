"""The keys of a server, for an admin elsewhere."""

from collections.abc import Collection
from urllib.parse import quote

from pydantic_core import to_json

from sharpwave.client.forms import answers
from sharpwave.client.http_wire import HttpWire
from sharpwave.types.access import ApiKey, NewKey, Scope

PATH = "/v1/admin/keys"


class RemoteKeys:
    """As the keys of `Memory`; needs the scope admin."""

    def __init__(self, wire: HttpWire) -> None:
        self._wire = wire

    def create(
        self, name: str, user: str, scopes: Collection[Scope | str] = (Scope.READ, Scope.WRITE)
    ) -> NewKey:
        """Make a key that opens one user's memory. Its secret is in the answer and nowhere else."""
        body = to_json({"name": name, "user": user, "scopes": list(scopes)})
        found = self._wire.ask("POST", PATH, query={}, body=body, repeatable=False)
        made: NewKey = answers(NewKey).validate_json(found)
        return made

    def all(self) -> list[ApiKey]:
        """Every key, revoked ones too, in order of their names."""
        found = self._wire.ask("GET", PATH, query={}, body=None, repeatable=True)
        listed: dict[str, list[ApiKey]] = answers(dict[str, list[ApiKey]]).validate_json(found)
        return listed["items"]

    def revoke(self, name: str) -> None:
        """From now on the key opens nothing."""
        path = f"{PATH}/{quote(name, safe='')}"
        self._wire.ask("DELETE", path, query={}, body=None, repeatable=False)
