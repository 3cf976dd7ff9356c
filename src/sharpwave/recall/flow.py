"""The read path. Each step is one file in this folder, in this order.

    1 cue      what was asked           -> a checked question and a filter
    2 gather   index                    -> candidates by vector and by keywords
    3 score    candidates               -> the best k, fused by rank, every term kept
    4 choose   the best k               -> records, each as the store holds it now

A step never calls another step. Filters are applied inside the search, never after it.
"""

from sharpwave.formulas.assignment import position
from sharpwave.ports import Ports
from sharpwave.recall import choose, cue, gather, score
from sharpwave.settings import RecallSettings, WeightsFile
from sharpwave.types.answers import Recollection
from sharpwave.types.asking import Asked


def recall(
    asked: Asked, user_id: str, ports: Ports, settings: RecallSettings, weights: WeightsFile
) -> Recollection:
    """What this user's memory holds about a question, best first."""
    preset = weights.preset_for(position(user_id, weights.ab.name))
    question = cue.understand(asked, settings)
    found, notes = gather.candidates(question, user_id, ports, settings.candidates)
    ranked = score.fuse(found, settings.rrf_k, weights.presets[preset], question.k)
    items, missing = choose.read(ranked, user_id, ports)
    return Recollection(asked.query, items, found.searched, preset, (*notes, *missing))
