"""Every call of the facade as an HTTP request. To serve a new method, add a line here.

The parameters and the answer of a call are those of the method itself; `forms.py` says how each is
encoded. REST builds its routes from this table, and `Memory.connect` its methods.
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
    """Whether the call is idempotent."""
    special: bool = False
    """Whether REST has a custom handler for it."""
    fixed: Mapping[str, object] = field(default_factory=dict)
    """Parameters with a fixed value on this path."""
    writes_if: str | None = None
    """A parameter that makes the call store something, so that it needs the scope `write`."""

    @property
    def in_body(self) -> bool:
        """Whether parameters are sent as JSON; else in the query."""
        return self.verb != "GET"

    @property
    def example(self) -> Mapping[str, object]:
        """Example parameters for the OpenAPI document."""
        in_path = {name: value for name, value in IN_PATHS.items() if f"{{{name}}}" in self.path}
        return {**in_path, **EXAMPLES.get(self.method, {})}


GET, POST, PUT, DELETE = "GET", "POST", "PUT", "DELETE"
READ, WRITE, ADMIN = Scope.READ, Scope.WRITE, Scope.ADMIN
INTERACTION = "/v1/interactions/{interaction}"
RULES, RULE = "/v1/behaviors", "/v1/behaviors/{id}"
SKILLS, SKILL = "/v1/skills", "/v1/skills/{skill}"
KEYS = "/v1/admin/keys"

CALLS: tuple[Call, ...] = (
    Call("remember", POST, "/v1/remember", WRITE, "memory", special=True),
    Call("recall", POST, "/v1/recall", READ, "memory"),
    Call("context", POST, "/v1/context", READ, "memory", writes_if="skill"),
    Call("forget", POST, "/v1/forget", WRITE, "memory"),
    Call("admin.recent", GET, "/v1/recent", READ, "memory"),
    Call("admin.sessions", GET, "/v1/sessions", READ, "memory"),
    Call("admin.texts", POST, "/v1/texts", READ, "memory"),
    Call("admin.memories", POST, "/v1/memories", READ, "memory"),
    Call("explain", GET, "/v1/memories/{id}", READ, "memory"),
    Call("admin.stats", GET, "/v1/stats", READ, "memory", special=True, fixed={"all_users": False}),
    Call("export", GET, "/v1/export", READ, "moving", special=True),
    Call("admin.import_", POST, "/v1/import", WRITE, "moving", special=True),
    Call("admin.import_chats", POST, "/v1/import/chats", WRITE, "moving", special=True),
    Call("agents.import_log", POST, "/v1/import/log", WRITE, "moving", special=True),
    Call("admin.events", GET, "/v1/events", READ, "events", special=True),
    Call("admin.webhooks", GET, "/v1/webhooks", READ, "events"),
    Call("admin.add_webhook", POST, "/v1/webhooks", WRITE, "events", repeatable=False),
    Call("admin.remove_webhook", DELETE, "/v1/webhooks/{id}", WRITE, "events", repeatable=False),
    # what is known
    Call("facts.profile", GET, "/v1/profile", READ, "knowledge"),
    Call("facts.known_since", GET, "/v1/known-since", READ, "knowledge"),
    Call("facts.list", GET, "/v1/facts", READ, "knowledge"),
    Call("facts.at", GET, "/v1/facts/at", READ, "knowledge"),
    Call("facts.between", GET, "/v1/facts/between", READ, "knowledge"),
    Call("facts.history", GET, "/v1/facts/history", READ, "knowledge"),
    Call("facts.end", POST, "/v1/facts/{id}/end", WRITE, "knowledge"),
    Call("facts.confirm", POST, "/v1/facts/{id}/confirm", WRITE, "knowledge", repeatable=False),
    Call("facts.correct", POST, "/v1/facts/{id}/correct", WRITE, "knowledge", repeatable=False),
    Call("facts.conflicts", GET, "/v1/conflicts", READ, "knowledge"),
    Call("facts.resolve", POST, "/v1/conflicts/{conflict}/resolve", WRITE, "knowledge"),
    Call("tasks.list", GET, "/v1/tasks", READ, "knowledge"),
    Call("tasks.due_soon", GET, "/v1/tasks/due", READ, "knowledge"),
    Call("tasks.set_status", PUT, "/v1/tasks/{task}/status", WRITE, "knowledge"),
    Call("behavior.notes", GET, "/v1/notes", READ, "knowledge"),
    Call("graph.entities", GET, "/v1/entities", READ, "knowledge"),
    Call("graph.about", GET, "/v1/about", READ, "knowledge"),
    Call("graph.related", GET, "/v1/related", READ, "knowledge"),
    Call("graph.paths", GET, "/v1/paths", READ, "knowledge"),
    Call("graph.view", GET, "/v1/graph", READ, "knowledge"),
    Call("facts.trends", GET, "/v1/trends", READ, "knowledge"),
    Call("facts.shifts", GET, "/v1/shifts", READ, "knowledge"),
    Call("facts.predict", GET, "/v1/predict", READ, "knowledge"),
    # how the user wants to be helped
    Call("behavior.reflect", POST, "/v1/reflect", WRITE, "behavior", repeatable=False),
    Call("behavior.end_session", POST, "/v1/end-session", WRITE, "behavior"),
    Call("behavior.rules", GET, RULES, READ, "behavior"),
    Call("behavior.pending", GET, "/v1/pending-behaviors", READ, "behavior"),
    Call("behavior.add", POST, RULES, WRITE, "behavior", repeatable=False),
    Call("behavior.accept", POST, f"{RULE}/accept", WRITE, "behavior"),
    Call("behavior.edit", PUT, RULE, WRITE, "behavior", repeatable=False),
    Call("behavior.delete", DELETE, RULE, WRITE, "behavior", repeatable=False),
    Call("behavior.undo", POST, f"{RULE}/undo", WRITE, "behavior", repeatable=False),
    Call("behavior.prune", POST, "/v1/prune-behaviors", WRITE, "behavior"),
    Call("behavior.prompt_section", GET, "/v1/behaviors-section", READ, "behavior"),
    Call("behavior.assemble_prompt", POST, "/v1/prompt", READ, "behavior"),
    Call("behavior.preferences", GET, "/v1/preferences", READ, "behavior"),
    Call("behavior.set_preference", PUT, "/v1/preferences", WRITE, "behavior", repeatable=False),
    Call("behavior.all_preferences", GET, "/v1/user-preferences", READ, "behavior"),
    Call("behavior.correct", POST, "/v1/corrections", WRITE, "behavior", repeatable=False),
    Call("behavior.reset", POST, "/v1/reset-learning", WRITE, "behavior"),
    # how the user likes to be answered
    Call("skills.select", POST, "/v1/select-skill", WRITE, "skills", repeatable=False),
    Call("skills.reply", POST, "/v1/reply", WRITE, "skills"),
    Call("feedback", POST, "/v1/feedback", WRITE, "skills"),
    Call("skills.list", GET, SKILLS, READ, "skills"),
    Call("skills.get", GET, SKILL, READ, "skills"),
    Call("skills.create", POST, SKILLS, WRITE, "skills", repeatable=False),
    Call("skills.edit", PUT, SKILL, WRITE, "skills", repeatable=False),
    Call("skills.improve", POST, f"{SKILL}/improve", WRITE, "skills"),
    Call("skills.archive", POST, f"{SKILL}/archive", WRITE, "skills"),
    Call("skills.delete", DELETE, SKILL, WRITE, "skills", repeatable=False),
    Call("skills.style", GET, "/v1/style", READ, "skills"),
    Call("skills.set_style", PUT, "/v1/style", WRITE, "skills"),
    Call("skills.reset", POST, "/v1/reset-skills", WRITE, "skills"),
    Call("skills.trajectories", GET, "/v1/trajectories", READ, "skills"),
    Call("skills.learn", POST, "/v1/learn-behavior", WRITE, "skills"),
    Call("skills.odds", GET, "/v1/skill-odds", READ, "skills"),
    Call("skills.history", GET, "/v1/skill-history", READ, "skills"),
    Call("skills.explore", PUT, "/v1/explore", WRITE, "skills"),
    Call("skills.metrics", GET, "/v1/behavior", READ, "skills"),
    # consolidation
    Call("sleep", POST, "/v1/sleep", WRITE, "sleep"),
    Call("admin.sleep_status", GET, "/v1/sleep", READ, "sleep"),
    Call("admin.sleep_log", GET, "/v1/sleep/log", READ, "sleep"),
    Call("admin.undo_sleep", POST, "/v1/sleep/{run}/undo", WRITE, "sleep", repeatable=False),
    # trust and care
    Call("facts.quarantine", POST, "/v1/quarantine", WRITE, "trust"),
    Call("admin.consents", GET, "/v1/consents", READ, "trust"),
    Call("admin.unanswered_consents", GET, "/v1/consents/unanswered", READ, "trust"),
    Call("admin.consent", PUT, "/v1/consents/{purpose}", WRITE, "trust"),
    Call("admin.reembed", POST, "/v1/reembed", WRITE, "care"),
    Call("admin.jobs", GET, "/v1/jobs", READ, "care"),
    Call("admin.retry_jobs", POST, "/v1/jobs/retry", WRITE, "care"),
    Call("admin.performance", GET, "/v1/performance", READ, "care"),
    Call("admin.calibration", GET, "/v1/calibration", READ, "care"),
    Call("admin.spending", GET, "/v1/spending", READ, "care"),
    Call("admin.spending_by_day", GET, "/v1/spending/days", READ, "care"),
    # what agents did
    Call("agents.start", POST, "/v1/interactions", WRITE, "experience", special=True),
    Call("agents.log_interpretation", POST, f"{INTERACTION}/interpretation", WRITE, "experience"),
    Call(
        "agents.log_action", POST, f"{INTERACTION}/actions", WRITE, "experience", repeatable=False
    ),
    Call("agents.complete", POST, f"{INTERACTION}/complete", WRITE, "experience", repeatable=False),
    Call("agents.log", POST, "/v1/actions", WRITE, "experience", repeatable=False),
    Call("agents.observe", POST, "/v1/observe", WRITE, "experience", repeatable=False),
    Call("agents.rate", POST, "/v1/outcomes", WRITE, "experience", repeatable=False),
    Call("agents.advise", POST, "/v1/advise", READ, "experience"),
    Call("agents.patterns", GET, "/v1/patterns", READ, "experience"),
    Call("agents.pattern", GET, "/v1/pattern", READ, "experience"),
    Call("agents.detect_patterns", POST, "/v1/patterns/detect", READ, "experience"),
    Call("agents.tools", GET, "/v1/tools", READ, "experience"),
    Call("agents.models", GET, "/v1/models", READ, "experience"),
    Call("agents.metrics", GET, "/v1/experience", READ, "experience"),
    Call("agents.insights", GET, "/v1/insights", READ, "experience"),
    Call("agents.add_insight", POST, "/v1/insights", WRITE, "experience"),
    Call("agents.generate_insights", POST, "/v1/learn", WRITE, "experience"),
    Call("agents.rebuild", POST, "/v1/relearn", WRITE, "experience"),
    # the whole file
    Call("admin.stats", GET, "/v1/admin/stats", ADMIN, "admin", fixed={"all_users": True}),
    Call("admin.users", GET, "/v1/admin/users", ADMIN, "admin"),
    Call("admin.audit", GET, "/v1/admin/audit", ADMIN, "admin"),
    Call("admin.verify", POST, "/v1/admin/verify", ADMIN, "admin"),
    Call("admin.scrub", POST, "/v1/admin/scrub", ADMIN, "admin"),
    Call("admin.deliver", POST, "/v1/admin/deliver", ADMIN, "admin"),
    Call("admin.work", POST, "/v1/admin/work", ADMIN, "admin"),
    Call("admin.sleep_all", POST, "/v1/admin/sleep", ADMIN, "admin"),
    Call("skills.learn_population", POST, "/v1/admin/learn-population", ADMIN, "admin"),
    Call("admin.backup", GET, "/v1/admin/backup", ADMIN, "admin", special=True),
    Call("admin.keys.all", GET, KEYS, ADMIN, "admin"),
    Call("admin.keys.create", POST, KEYS, ADMIN, "admin", repeatable=False),
    Call("admin.keys.revoke", DELETE, f"{KEYS}/{{name}}", ADMIN, "admin", repeatable=False),
)

NOT_SERVED = frozenset(
    {"open", "connect", "close", "user", "admin.run_worker", "admin.keys.principal"}
    | {"admin.check_ready", "admin.shared_secret", "admin.subscribe", "admin.subscribe_all"}
    | {"admin.load_models"}
)
"""Methods about the local process, which a server does not offer; it has its own worker."""

IN_PATHS = {
    **dict.fromkeys(("id", "conflict", "task", "interaction", "run"), "0199"),
    "skill": "haiku",
    "name": "laptop",
}
"""Examples of parameters in paths."""
EXAMPLES: Mapping[str, Mapping[str, object]] = {
    "remember": {
        "messages": "My sister Ana lives in Porto.",
        "facts": [{"text": "The user's sister Ana lives in Porto", "quote": "lives in Porto"}],
    },
    "recall": {"query": "Where does Ana live?"},
    "context": {"query": "Plan a trip to see Ana", "budget": 800},
    "admin.memories": {"kinds": ["fact"], "limit": 20},
    "forget": {"session": "2026-05-01"},
    "admin.add_webhook": {"url": "https://example.com/hook", "topics": ["memory.remembered"]},
    "facts.list": {"subject": "Ana"},
    "facts.at": {"moment": "2026-05-01T00:00:00Z"},
    "facts.between": {"start": "2026-05-01T00:00:00Z", "end": "2026-06-01T00:00:00Z"},
    "facts.history": {"subject": "Ana", "predicate": "lives_in"},
    "facts.end": {"at": "2026-05-01T00:00:00Z"},
    "facts.correct": {"text": "I live in Lisbon."},
    "facts.resolve": {"keep": "newer"},
    "tasks.list": {"status": "active"},
    "tasks.set_status": {"status": "done"},
    "graph.related": {"name": "Ana", "hops": 2},
    "facts.quarantine": {"source": "web"},
    "admin.consent": {"purpose": "memory", "granted": True},
    "admin.spending": {"day": "2026-05-01"},
    "admin.keys.create": {"name": "laptop", "user": "ana", "scopes": ["read"]},
    "agents.start": {"query": "Make the build green"},
    "agents.log_interpretation": {"interpretation": "Fix the failing test"},
    "agents.log_action": {"action": "run_tests", "details": {"success": True}},
    "agents.complete": {"feedback": "Great", "success": True},
    "agents.log": {"action": "run_tests", "details": {"duration_ms": 900}},
    "agents.observe": {
        "task": {"query": "Ship order 7", "plan": ["pack", "ship"], "success": True}
    },
    "agents.rate": {"id": "0199", "success": True},
    "agents.advise": {"query": "Ship order 8"},
    "agents.patterns": {"type": "workflow"},
    "agents.pattern": {"type": "workflow", "pattern": "edit → test"},
    "agents.detect_patterns": {"sequence": ["edit", "test", "commit"]},
    "agents.insights": {"type": "rule"},
    "agents.add_insight": {"insight": "Run the tests before a commit."},
    "admin.texts": {"ids": ["0199"]},
    "graph.about": {"name": "Ana"},
    "graph.paths": {"one": "user", "other": "Ana"},
    "facts.predict": {"subject": "Ana", "predicate": "lives_in", "at": "2027-05-01T00:00:00Z"},
    "behavior.end_session": {"session": "monday"},
    "behavior.reflect": {"user_message": "From now on, answer in German."},
    "behavior.add": {"rule": "Answer in German.", "type": "style"},
    "behavior.edit": {"rule": "Answer in German, briefly."},
    "behavior.assemble_prompt": {"role": "planner", "definition": "You plan journeys."},
    "behavior.set_preference": {"category": "tool", "key": "pytest", "value": 0.9},
    "behavior.correct": {"original": "Dear Sir,", "corrected": "Hi Ana,"},
    "skills.select": {"message": "How do I sort a list?", "message_id": "m1"},
    "skills.reply": {
        "message": "Where does my sister live?",
        "context": "Her sister lives in Porto.",
    },
    "feedback": {"message_id": "m1", "reward": 1, "free_text": "Just right."},
    "skills.get": {"skill": "concise_response"},
    "skills.improve": {"skill": "concise_response"},
    "skills.create": {"skill": "haiku", "template": "Answer with a haiku."},
    "skills.edit": {"template": "Answer with two haiku."},
    "skills.set_style": {"dimensions": {"verbosity": 0.2}},
    "skills.odds": {"context": "question_neutral_morning"},
    "skills.explore": {"on": False},
    "skills.reset": {"dimension": "verbosity"},
    "sleep": {"dry_run": True},
}
