"""Every call of the facade as an HTTP request. To serve a new method, add a line here.

The parameters and the answer of a call are those of the method itself; `forms.py` says how each is
written. The REST door makes its routes of this table, and `Memory.connect` its methods.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sharpwave.types.doors.access import Scope

READ, WRITE, ADMIN = Scope.READ, Scope.WRITE, Scope.ADMIN


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One method of the facade: its verb, its path, and who may call it."""

    method: str
    verb: str
    path: str
    scope: Scope
    tag: str
    example: Mapping[str, object] = field(default_factory=dict)
    """Parameters that work, for the document; those of the path too."""
    fixed: Mapping[str, object] = field(default_factory=dict)
    """Parameters that the path stands for."""
    repeatable: bool = True
    """Whether doing it twice does no more than doing it once."""
    special: bool = False
    """The door answers it by a function of its own, not by one call alone."""

    @property
    def in_body(self) -> bool:
        """Whether parameters are sent as JSON; else in the query."""
        return self.verb != "GET"


def _memory() -> list[Call]:
    said = {"said": "My sister Ana lives in Porto."}
    return [
        Call("remember", "POST", "/v1/remember", WRITE, "memory", said, special=True),
        Call("recall", "POST", "/v1/recall", READ, "memory", {"query": "Where does Ana live?"}),
        Call("context", "POST", "/v1/context", READ, "memory", {"query": "Plan a trip to Ana"}),
        Call("forget", "POST", "/v1/forget", WRITE, "memory", {"session": "2026-05-01"}),
        Call("explain", "GET", "/v1/memories/{id}", READ, "memory", {"id": "0199"}),
        Call("stats", "GET", "/v1/stats", READ, "memory", fixed={"all_users": False}, special=True),
        Call("export", "GET", "/v1/export", READ, "moving", special=True),
        Call("import_", "POST", "/v1/import", WRITE, "moving", special=True),
        Call("import_chats", "POST", "/v1/import/chats", WRITE, "moving", special=True),
        Call("import_log", "POST", "/v1/import/log", WRITE, "moving", special=True),
        Call("reembed", "POST", "/v1/reembed", WRITE, "care"),
        Call("jobs", "GET", "/v1/jobs", READ, "care"),
        Call("spending", "GET", "/v1/spending", READ, "care", {"day": "2026-05-01"}),
        Call("events", "GET", "/v1/events", READ, "events", special=True),
    ]


def _knowledge() -> list[Call]:
    moment, day = {"moment": "2026-05-01T00:00:00Z"}, "2026-05-01T00:00:00Z"
    about = {"subject": "Ana", "predicate": "lives_in"}
    return [
        Call("profile", "GET", "/v1/profile", READ, "knowledge"),
        Call("facts", "GET", "/v1/facts", READ, "knowledge", {"subject": "Ana"}),
        Call("at", "GET", "/v1/facts/at", READ, "knowledge", moment),
        Call(
            "between",
            "GET",
            "/v1/facts/between",
            READ,
            "knowledge",
            {"start": day, "end": "2026-06-01T00:00:00Z"},
        ),
        Call("history", "GET", "/v1/facts/history", READ, "knowledge", about),
        Call("end_fact", "POST", "/v1/facts/{id}/end", WRITE, "knowledge", {"id": "0199"}),
        Call("conflicts", "GET", "/v1/conflicts", READ, "knowledge"),
        Call(
            "resolve",
            "POST",
            "/v1/conflicts/{conflict}/resolve",
            WRITE,
            "knowledge",
            {"conflict": "0199", "keep": "newer"},
        ),
        Call("tasks", "GET", "/v1/tasks", READ, "knowledge", {"status": "active"}),
        Call("due_soon", "GET", "/v1/tasks/due", READ, "knowledge"),
        Call(
            "set_task",
            "PUT",
            "/v1/tasks/{task}",
            WRITE,
            "knowledge",
            {"task": "0199", "status": "done"},
        ),
        Call("notes", "GET", "/v1/notes", READ, "knowledge"),
        Call("entities", "GET", "/v1/entities", READ, "knowledge"),
        Call("related", "GET", "/v1/related", READ, "knowledge", {"name": "Ana", "hops": 2}),
        Call("quarantine", "POST", "/v1/quarantine", WRITE, "trust", {"source": "web"}),
        Call("consents", "GET", "/v1/consents", READ, "trust"),
        Call(
            "consent",
            "PUT",
            "/v1/consents/{purpose}",
            WRITE,
            "trust",
            {"purpose": "memory", "granted": True},
        ),
    ]


def _experience() -> list[Call]:
    one = "/v1/interactions/{interaction}"
    id_ = {"interaction": "0199"}
    do = {"action": "run_tests", "details": {"duration_ms": 900}}
    tag = "experience"
    return [
        Call(
            "start_interaction",
            "POST",
            "/v1/interactions",
            WRITE,
            tag,
            {"query": "Make the build green"},
            special=True,
        ),
        Call(
            "log_interpretation",
            "POST",
            f"{one}/interpretation",
            WRITE,
            tag,
            {**id_, "interpretation": "Fix the failing test", "planned_actions": ["run_tests"]},
        ),
        Call("log_action", "POST", f"{one}/actions", WRITE, tag, {**id_, **do}, repeatable=False),
        Call(
            "complete_interaction",
            "POST",
            f"{one}/complete",
            WRITE,
            tag,
            {**id_, "feedback": "Great, thanks", "success": True},
            repeatable=False,
        ),
        Call("log_interaction", "POST", "/v1/actions", WRITE, tag, do, repeatable=False),
        Call(
            "observe",
            "POST",
            "/v1/observe",
            WRITE,
            tag,
            {"task": {"query": "Ship order 7", "steps": [{"name": "pack"}], "success": True}},
            repeatable=False,
        ),
        Call(
            "outcome",
            "POST",
            "/v1/outcomes",
            WRITE,
            tag,
            {"id": "0199", "success": True},
            repeatable=False,
        ),
        Call("advise", "POST", "/v1/advise", READ, tag, {"query": "Ship order 8"}),
        Call("patterns", "GET", "/v1/patterns", READ, tag, {"type": "workflow"}),
        Call(
            "pattern",
            "GET",
            "/v1/patterns/{type}",
            READ,
            tag,
            {"type": "workflow", "pattern": "edit → test"},
        ),
        Call(
            "detect_patterns",
            "POST",
            "/v1/patterns/detect",
            READ,
            tag,
            {"sequence": ["edit", "test", "commit"]},
        ),
        Call("tools", "GET", "/v1/tools", READ, tag),
        Call("models", "GET", "/v1/models", READ, tag),
        Call("experience_metrics", "GET", "/v1/experience", READ, tag),
        Call("insights", "GET", "/v1/insights", READ, tag, {"type": "rule"}),
        Call(
            "store_insight",
            "POST",
            "/v1/insights",
            WRITE,
            tag,
            {"insight": "Run the tests before a commit."},
        ),
        Call("learn", "POST", "/v1/learn", WRITE, tag),
        Call("relearn", "POST", "/v1/relearn", WRITE, tag),
    ]


def _admin() -> list[Call]:
    everyone = {"all_users": True}
    return [
        Call("stats", "GET", "/v1/admin/stats", ADMIN, "admin", fixed=everyone),
        Call("users", "GET", "/v1/admin/users", ADMIN, "admin"),
        Call("audit", "GET", "/v1/admin/audit", ADMIN, "admin"),
        Call("verify", "POST", "/v1/admin/verify", ADMIN, "admin"),
        Call("scrub", "POST", "/v1/admin/scrub", ADMIN, "admin"),
        Call("work", "POST", "/v1/admin/work", ADMIN, "admin"),
        Call("backup", "GET", "/v1/admin/backup", ADMIN, "admin", special=True),
    ]


CALLS: tuple[Call, ...] = (*_memory(), *_knowledge(), *_experience(), *_admin())

NOT_SERVED = frozenset({"open", "connect", "close", "user"})
"""Methods that are about this process, and mean nothing to a server."""
