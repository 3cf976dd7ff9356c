"""The user's standing instructions in a prompt: outside the fence, one plain line each [PRM-06]."""

from sharpwave.rendering.quoting import plain_line

TITLE = "Learned Preferences"
PREAMBLE = (
    "What this user wants in general, learned from earlier conversations. "
    "Apply them without being asked:"
)


def rule_line(rule: str, frequency: int) -> str:
    """One rule; how often it was observed only if more than once [PRM-07].

    >>> rule_line("Use tabs", 3), rule_line("Use tabs", 1)
    ('- Use tabs (observed 3x)', '- Use tabs')
    """
    seen = f" (observed {frequency}x)" if frequency > 1 else ""
    return f"- {plain_line(rule)}{seen}"
