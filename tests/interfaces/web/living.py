"""A life to look at: some of everything that pages show."""

from sharpwave import Memory

SHOUT = '<img src=x onerror="window.stolen=1"><script>window.stolen=1</script>{{stolen=1}}'
"""Words that would run if a page took them for more than words."""


def live(memory: Memory, name: str = "Ana") -> None:
    """Talk, contradict, correct, rate, work, judge and sleep."""
    memory.remember(
        f"My sister {name} lives in Porto. I live in Berlin. I work at Acme.", session="1"
    )
    memory.remember("My brother Tom lives in Lisbon. Always use tabs in Python.", session="1")
    memory.remember("I don't live in Berlin.", session="2")
    memory.behavior.add(f"Greet {name} by name.", "style", scope="project:atlas")
    memory.behavior.delete(memory.behavior.add("Answer in German.", "style").id or "")
    for n in range(12):
        choice = memory.skills.select("How do I sort a list?", session=f"{n}")
        memory.feedback(choice.message_id, 1 if n % 4 else -1)
    for n in range(8):
        failed = {"success": False, "error": "TimeoutError: no answer"} if n % 3 == 0 else {}
        steps = [
            {"name": "build", "duration_ms": 9.0},
            {"name": "test", "duration_ms": 40.0, **failed},
        ]
        memory.agents.observe({"query": f"Ship for {name}", "steps": steps, "success": n % 3 > 0})
    memory.agents.add_insight(f"Run the tests before {name} ships.")
    memory.agents.generate_insights()
    memory.recall(f"Where does {name} live?")
    memory.facts.confirm(next(fact.id for fact in memory.facts.list() if fact.object == "Acme"))
    memory.sleep()
