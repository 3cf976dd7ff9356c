"""Every call of the facade as an HTTP request. To serve a new method, add a line here.

The parameters and the answer of a call are those of the method itself; `forms.py` says how each is
written. The REST door makes its routes of this table, and `Memory.connect` its methods.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sharpwave.types.access import Scope


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One method of the facade: its verb, its path, and who may call it."""

    method: str
    verb: str
    path: str
    scope: Scope
    tag: str
    repeatable: bool = True
    """Whether doing it twice does no more than doing it once."""
    special: bool = False
    """The door answers it by a function of its own, not by one call alone."""
    fixed: Mapping[str, object] = field(default_factory=dict)
    """Parameters that the path stands for."""
    writes_if: str | None = None
    """A parameter with which the call stores something, so that it takes the scope `write`."""

    @property
    def in_body(self) -> bool:
        """Whether parameters are sent as JSON; else in the query."""
        return self.verb != "GET"

    @property
    def example(self) -> Mapping[str, object]:
        """Parameters as they may be given, for the document."""
        return EXAMPLES.get(self.method, {})


GET, POST, PUT, DELETE = "GET", "POST", "PUT", "DELETE"
READ, WRITE, ADMIN = Scope.READ, Scope.WRITE, Scope.ADMIN
ONE = "/v1/interactions/{interaction}"
RULES, RULE = "/v1/behaviors", "/v1/behaviors/{id}"
SKILLS, SKILL = "/v1/skills", "/v1/skills/{skill}"

CALLS: tuple[Call, ...] = (
    Call("remember", POST, "/v1/remember", WRITE, "memory", special=True),
    Call("recall", POST, "/v1/recall", READ, "memory"),
    Call("context", POST, "/v1/context", READ, "memory", writes_if="skill"),
    Call("forget", POST, "/v1/forget", WRITE, "memory"),
    Call("recent", GET, "/v1/recent", READ, "memory"),
    Call("sessions", GET, "/v1/sessions", READ, "memory"),
    Call("texts", POST, "/v1/texts", READ, "memory"),
    Call("memories", POST, "/v1/memories", READ, "memory"),
    Call("explain", GET, "/v1/memories/{id}", READ, "memory"),
    Call("stats", GET, "/v1/stats", READ, "memory", special=True, fixed={"all_users": False}),
    Call("export", GET, "/v1/export", READ, "moving", special=True),
    Call("import_", POST, "/v1/import", WRITE, "moving", special=True),
    Call("import_chats", POST, "/v1/import/chats", WRITE, "moving", special=True),
    Call("import_log", POST, "/v1/import/log", WRITE, "moving", special=True),
    Call("events", GET, "/v1/events", READ, "events", special=True),
    Call("webhooks", GET, "/v1/webhooks", READ, "events"),
    Call("add_webhook", POST, "/v1/webhooks", WRITE, "events", repeatable=False),
    Call("remove_webhook", DELETE, "/v1/webhooks/{id}", WRITE, "events", repeatable=False),
    # what is known
    Call("profile", GET, "/v1/profile", READ, "knowledge"),
    Call("known_since", GET, "/v1/known-since", READ, "knowledge"),
    Call("facts", GET, "/v1/facts", READ, "knowledge"),
    Call("at", GET, "/v1/facts/at", READ, "knowledge"),
    Call("between", GET, "/v1/facts/between", READ, "knowledge"),
    Call("history", GET, "/v1/facts/history", READ, "knowledge"),
    Call("end_fact", POST, "/v1/facts/{id}/end", WRITE, "knowledge"),
    Call("confirm", POST, "/v1/facts/{id}/confirm", WRITE, "knowledge"),
    Call("conflicts", GET, "/v1/conflicts", READ, "knowledge"),
    Call("resolve", POST, "/v1/conflicts/{conflict}/resolve", WRITE, "knowledge"),
    Call("tasks", GET, "/v1/tasks", READ, "knowledge"),
    Call("due_soon", GET, "/v1/tasks/due", READ, "knowledge"),
    Call("set_task", PUT, "/v1/tasks/{task}/status", WRITE, "knowledge"),
    Call("notes", GET, "/v1/notes", READ, "knowledge"),
    Call("entities", GET, "/v1/entities", READ, "knowledge"),
    Call("about", GET, "/v1/about", READ, "knowledge"),
    Call("related", GET, "/v1/related", READ, "knowledge"),
    Call("paths", GET, "/v1/paths", READ, "knowledge"),
    Call("graph", GET, "/v1/graph", READ, "knowledge"),
    Call("trends", GET, "/v1/trends", READ, "knowledge"),
    Call("shifts", GET, "/v1/shifts", READ, "knowledge"),
    Call("predict", GET, "/v1/predict", READ, "knowledge"),
    # how the user wants to be helped
    Call("reflect", POST, "/v1/reflect", WRITE, "behavior", repeatable=False),
    Call("behaviors", GET, RULES, READ, "behavior"),
    Call("pending_behaviors", GET, "/v1/pending-behaviors", READ, "behavior"),
    Call("store_behavior", POST, RULES, WRITE, "behavior", repeatable=False),
    Call("accept_behavior", POST, f"{RULE}/accept", WRITE, "behavior"),
    Call("edit_behavior", PUT, RULE, WRITE, "behavior", repeatable=False),
    Call("delete_behavior", DELETE, RULE, WRITE, "behavior", repeatable=False),
    Call("undo_behavior", POST, f"{RULE}/undo", WRITE, "behavior", repeatable=False),
    Call("prune_behaviors", POST, "/v1/prune-behaviors", WRITE, "behavior"),
    Call("behaviors_section", GET, "/v1/behaviors-section", READ, "behavior"),
    Call("assemble_prompt", POST, "/v1/prompt", READ, "behavior"),
    Call("preferences", GET, "/v1/preferences", READ, "behavior"),
    Call("set_preference", PUT, "/v1/preferences", WRITE, "behavior", repeatable=False),
    Call("user_preferences", GET, "/v1/user-preferences", READ, "behavior"),
    Call("learn_from_correction", POST, "/v1/corrections", WRITE, "behavior", repeatable=False),
    Call("reset_learning", POST, "/v1/reset-learning", WRITE, "behavior"),
    # how the user likes to be answered
    Call("select_skill", POST, "/v1/select-skill", WRITE, "skills", repeatable=False),
    Call("reply", POST, "/v1/reply", WRITE, "skills"),
    Call("feedback", POST, "/v1/feedback", WRITE, "skills"),
    Call("skills", GET, SKILLS, READ, "skills"),
    Call("skill", GET, SKILL, READ, "skills"),
    Call("create_skill", POST, SKILLS, WRITE, "skills", repeatable=False),
    Call("edit_skill", PUT, SKILL, WRITE, "skills", repeatable=False),
    Call("improve_skill", POST, f"{SKILL}/improve", WRITE, "skills"),
    Call("archive_skill", POST, f"{SKILL}/archive", WRITE, "skills"),
    Call("delete_skill", DELETE, SKILL, WRITE, "skills", repeatable=False),
    Call("style", GET, "/v1/style", READ, "skills"),
    Call("set_style", PUT, "/v1/style", WRITE, "skills"),
    Call("reset_skills", POST, "/v1/reset-skills", WRITE, "skills"),
    Call("trajectories", GET, "/v1/trajectories", READ, "skills"),
    Call("learn_behavior", POST, "/v1/learn-behavior", WRITE, "skills"),
    Call("skill_odds", GET, "/v1/skill-odds", READ, "skills"),
    Call("skill_history", GET, "/v1/skill-history", READ, "skills"),
    Call("explore", PUT, "/v1/explore", WRITE, "skills"),
    Call("behavior_metrics", GET, "/v1/behavior", READ, "skills"),
    # what happens while nobody asks
    Call("sleep", POST, "/v1/sleep", WRITE, "sleep"),
    Call("sleep_status", GET, "/v1/sleep", READ, "sleep"),
    Call("sleep_log", GET, "/v1/sleep/log", READ, "sleep"),
    Call("undo_sleep", POST, "/v1/sleep/{run}/undo", WRITE, "sleep", repeatable=False),
    # trust and care
    Call("quarantine", POST, "/v1/quarantine", WRITE, "trust"),
    Call("consents", GET, "/v1/consents", READ, "trust"),
    Call("consent", PUT, "/v1/consents/{purpose}", WRITE, "trust"),
    Call("reembed", POST, "/v1/reembed", WRITE, "care"),
    Call("jobs", GET, "/v1/jobs", READ, "care"),
    Call("retry_jobs", POST, "/v1/jobs/retry", WRITE, "care"),
    Call("performance", GET, "/v1/performance", READ, "care"),
    Call("calibration", GET, "/v1/calibration", READ, "care"),
    Call("spending", GET, "/v1/spending", READ, "care"),
    Call("spending_by_day", GET, "/v1/spending/days", READ, "care"),
    # what agents did
    Call("start_interaction", POST, "/v1/interactions", WRITE, "experience", special=True),
    Call("log_interpretation", POST, f"{ONE}/interpretation", WRITE, "experience"),
    Call("log_action", POST, f"{ONE}/actions", WRITE, "experience", repeatable=False),
    Call("complete_interaction", POST, f"{ONE}/complete", WRITE, "experience", repeatable=False),
    Call("log_interaction", POST, "/v1/actions", WRITE, "experience", repeatable=False),
    Call("observe", POST, "/v1/observe", WRITE, "experience", repeatable=False),
    Call("outcome", POST, "/v1/outcomes", WRITE, "experience", repeatable=False),
    Call("advise", POST, "/v1/advise", READ, "experience"),
    Call("patterns", GET, "/v1/patterns", READ, "experience"),
    Call("pattern", GET, "/v1/pattern", READ, "experience"),
    Call("detect_patterns", POST, "/v1/patterns/detect", READ, "experience"),
    Call("tools", GET, "/v1/tools", READ, "experience"),
    Call("models", GET, "/v1/models", READ, "experience"),
    Call("experience_metrics", GET, "/v1/experience", READ, "experience"),
    Call("insights", GET, "/v1/insights", READ, "experience"),
    Call("store_insight", POST, "/v1/insights", WRITE, "experience"),
    Call("learn", POST, "/v1/learn", WRITE, "experience"),
    Call("relearn", POST, "/v1/relearn", WRITE, "experience"),
    # the whole file
    Call("stats", GET, "/v1/admin/stats", ADMIN, "admin", fixed={"all_users": True}),
    Call("users", GET, "/v1/admin/users", ADMIN, "admin"),
    Call("audit", GET, "/v1/admin/audit", ADMIN, "admin"),
    Call("verify", POST, "/v1/admin/verify", ADMIN, "admin"),
    Call("scrub", POST, "/v1/admin/scrub", ADMIN, "admin"),
    Call("deliver", POST, "/v1/admin/deliver", ADMIN, "admin"),
    Call("work", POST, "/v1/admin/work", ADMIN, "admin"),
    Call("sleep_everyone", POST, "/v1/admin/sleep", ADMIN, "admin"),
    Call("learn_population", POST, "/v1/admin/learn-population", ADMIN, "admin"),
    Call("backup", GET, "/v1/admin/backup", ADMIN, "admin", special=True),
)

NOT_SERVED = frozenset({"open", "connect", "close", "user", "run_worker"})
"""Methods that are about this process, and mean nothing to a server; it has its own worker."""

EXAMPLES: Mapping[str, Mapping[str, object]] = {
    "remember": {"said": "My sister Ana lives in Porto."},
    "recall": {"query": "Where does Ana live?"},
    "context": {"query": "Plan a trip to see Ana", "budget": 800},
    "memories": {"kinds": ["fact"], "limit": 20},
    "forget": {"session": "2026-05-01"},
    "explain": {"id": "0199"},
    "add_webhook": {"url": "https://example.com/hook", "topics": ["memory.remembered"]},
    "remove_webhook": {"id": "0199"},
    "facts": {"subject": "Ana"},
    "at": {"moment": "2026-05-01T00:00:00Z"},
    "between": {"start": "2026-05-01T00:00:00Z", "end": "2026-06-01T00:00:00Z"},
    "history": {"subject": "Ana", "predicate": "lives_in"},
    "end_fact": {"id": "0199", "at": "2026-05-01T00:00:00Z"},
    "confirm": {"id": "0199"},
    "resolve": {"conflict": "0199", "keep": "newer"},
    "tasks": {"status": "active"},
    "set_task": {"task": "0199", "status": "done"},
    "related": {"name": "Ana", "hops": 2},
    "quarantine": {"source": "web"},
    "consent": {"purpose": "memory", "granted": True},
    "spending": {"day": "2026-05-01"},
    "start_interaction": {"query": "Make the build green"},
    "log_interpretation": {"interaction": "0199", "interpretation": "Fix the failing test"},
    "log_action": {"interaction": "0199", "action": "run_tests", "details": {"success": True}},
    "complete_interaction": {"interaction": "0199", "feedback": "Great", "success": True},
    "log_interaction": {"action": "run_tests", "details": {"duration_ms": 900}},
    "observe": {"task": {"query": "Ship order 7", "plan": ["pack", "ship"], "success": True}},
    "outcome": {"id": "0199", "success": True},
    "advise": {"query": "Ship order 8"},
    "patterns": {"type": "workflow"},
    "pattern": {"type": "workflow", "pattern": "edit → test"},
    "detect_patterns": {"sequence": ["edit", "test", "commit"]},
    "insights": {"type": "rule"},
    "store_insight": {"insight": "Run the tests before a commit."},
    "texts": {"ids": ["0199"]},
    "about": {"name": "Ana"},
    "paths": {"one": "user", "other": "Ana"},
    "predict": {"subject": "Ana", "predicate": "lives_in", "at": "2027-05-01T00:00:00Z"},
    "reflect": {"user_message": "From now on, answer in German."},
    "store_behavior": {"rule": "Answer in German.", "type": "style"},
    "accept_behavior": {"id": "0199"},
    "edit_behavior": {"id": "0199", "rule": "Answer in German, briefly."},
    "delete_behavior": {"id": "0199"},
    "undo_behavior": {"id": "0199"},
    "assemble_prompt": {"role": "planner", "definition": "You plan journeys."},
    "set_preference": {"category": "tool", "key": "pytest", "value": 0.9},
    "learn_from_correction": {"original": "Dear Sir,", "corrected": "Hi Ana,"},
    "select_skill": {"message": "How do I sort a list?", "message_id": "m1"},
    "reply": {"message": "Where does my sister live?", "context": "Her sister lives in Porto."},
    "feedback": {"message_id": "m1", "reward": 1, "free_text": "Just right."},
    "skill": {"skill": "concise_response"},
    "create_skill": {"skill": "haiku", "template": "Answer with a haiku."},
    "edit_skill": {"skill": "haiku", "template": "Answer with two haiku."},
    "improve_skill": {"skill": "concise_response"},
    "archive_skill": {"skill": "haiku"},
    "delete_skill": {"skill": "haiku"},
    "set_style": {"dimensions": {"verbosity": 0.2}},
    "skill_odds": {"context": "question_neutral_morning"},
    "explore": {"on": False},
    "reset_skills": {"dimension": "verbosity"},
    "sleep": {"dry_run": True},
    "undo_sleep": {"run": "0199"},
}
