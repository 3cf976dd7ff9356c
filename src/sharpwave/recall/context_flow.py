"""What was recalled into a prompt. Each step is one file in this folder, in this order.

1 highlights  summaries, gists      -> what may be shown of summaries and of settled turns
2 assemble    all that is known     -> one text for a prompt, under a budget
"""

from dataclasses import replace

from sharpwave.recall import assemble, highlights
from sharpwave.settings.context import ContextSettings
from sharpwave.types.answers import Recollection
from sharpwave.types.contexts import Background, Context
from sharpwave.workspace import Workspace


def context(
    found: Recollection,
    known: Background,
    budget: int | None,
    workspace: Workspace,
    settings: ContextSettings,
) -> Context:
    """What was recalled and what is known anyway, as one text for a prompt."""
    items = highlights.shortened(found.items, found.query, settings.summary_lines)
    gists = highlights.gists(items, workspace.store)
    shorter = replace(found, items=tuple(items))
    return assemble.assemble(known, shorter, gists, budget, settings)
