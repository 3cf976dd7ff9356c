"""The parts of Sharpwave that are measured by themselves, because no public call shows them alone.

The only module here that imports more than `sharpwave` and its `testing`, `settings`, `types`,
`errors` and `ports`; a test holds the others to it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from evals.injection import FLAGGED, suspicious
from sharpwave import Embedder
from sharpwave.behavior.feedback.classifier import FeedbackClassifier
from sharpwave.behavior.feedback.phrases import Phrases as FeedbackPhrases
from sharpwave.behavior.feedback.phrases import load_phrases
from sharpwave.behavior.intent import read_context
from sharpwave.behavior.skills import learning as skill_learning
from sharpwave.behavior.skills import scoring as skill_scoring
from sharpwave.behavior.skills import select as skill_select
from sharpwave.embedding.encoder import SentenceEncoder
from sharpwave.embedding.local_models import CrossEncoder
from sharpwave.embedding.sharpwave_embedder import SharpwaveEmbedder
from sharpwave.embedding.table_embedder import TableEmbedder, TokenScorer
from sharpwave.formulas.budget import token_estimate
from sharpwave.index.terms import TermReader
from sharpwave.knowledge.predicates import known as known_predicates
from sharpwave.llm.prompts.behavior import OptimiseOutput as OptimiseOutput
from sharpwave.llm.prompts.behavior import render_optimise as render_optimise
from sharpwave.llm.prompts.conversation import ConversationOutput as ConversationOutput
from sharpwave.llm.prompts.conversation import KnownLine as KnownLine
from sharpwave.llm.prompts.conversation import MemoryOperation as MemoryOperation
from sharpwave.llm.prompts.conversation import render as render_conversation
from sharpwave.llm.prompts.sleep import ConflictOutput as ConflictOutput
from sharpwave.llm.prompts.sleep import InsightsOutput as InsightsOutput
from sharpwave.llm.prompts.sleep import NotesOutput as NotesOutput
from sharpwave.llm.prompts.sleep import SummaryOutput as SummaryOutput
from sharpwave.llm.prompts.sleep import render_conflict as render_conflict
from sharpwave.llm.prompts.sleep import render_insights as render_insights
from sharpwave.llm.prompts.sleep import render_notes as render_notes
from sharpwave.llm.prompts.sleep import render_summary as render_summary
from sharpwave.llm.prompts.transcript import TranscriptLine as PromptLine
from sharpwave.llm.prompts.transcript import find_quote
from sharpwave.privacy import redaction
from sharpwave.privacy.findings import candidates as sensitive_candidates
from sharpwave.reading.extract import extract
from sharpwave.rendering import quoted
from sharpwave.settings.privacy import Policy
from sharpwave.sleep import extractive
from sharpwave.sleep.extractive import Utterance as SessionLine
from sharpwave.sleep.extractive import sentences as split_sentences
from sharpwave.sleep.summarise import SHARE as SUMMARY_SHARE
from sharpwave.sleep.summarise import invented
from sharpwave.temporal.expressions import find as find_times
from sharpwave.upkeep import language_model

__all__ = [
    "SUMMARY_SHARE",
    "ConflictOutput",
    "ConversationOutput",
    "CrossEncoder",
    "FeedbackClassifier",
    "FeedbackPhrases",
    "InsightsOutput",
    "KnownLine",
    "MemoryOperation",
    "NotesOutput",
    "OptimiseOutput",
    "PromptLine",
    "SentenceEncoder",
    "SessionLine",
    "SharpwaveEmbedder",
    "SummaryOutput",
    "TableEmbedder",
    "TokenScorer",
    "cross_encoder",
    "extract",
    "feedback_classifier",
    "feedback_phrases",
    "find_quote",
    "find_times",
    "invented",
    "is_injection",
    "known_predicates",
    "language_model",
    "quoted",
    "read_context",
    "redact",
    "render_conflict",
    "render_conversation",
    "render_insights",
    "render_notes",
    "render_optimise",
    "render_summary",
    "sensitive_candidates",
    "skill_learning",
    "skill_scoring",
    "skill_select",
    "split_sentences",
    "stems",
    "summary_sentences",
    "token_count",
    "with_neighbours",
]

NEIGHBOUR_SHARE = 0.1
"""How much of its better neighbour's score a turn gets on top of its own."""
_TERMS = TermReader()


def stems(text: str) -> list[str]:
    """The terms that keyword search counts: stemmed words, without the commonest."""
    return _TERMS.read(text)


def token_count(text: str) -> int:
    """Estimated tokens, as the budget of a context counts them."""
    return token_estimate(text)


def summary_sentences(lines: Sequence[SessionLine], budget: int) -> Sequence[str]:
    """The sentences that a summary of this session quotes."""
    return [sentence.text for sentence in extractive.choose(lines, budget)]


def feedback_phrases() -> FeedbackPhrases:
    """The phrases from which feedback is read."""
    return load_phrases()


def feedback_classifier(embedder: Embedder, phrases: FeedbackPhrases) -> FeedbackClassifier:
    """A classifier that learns from these phrases."""
    return FeedbackClassifier(embedder, phrases)


def cross_encoder(folder: Path) -> CrossEncoder:
    """The cross-encoder in a folder."""
    return CrossEncoder(folder)


def with_neighbours(scores: Mapping[int, float], places: Sequence[int]) -> list[float]:
    """Scores of the turns at these places, each with a share of its better neighbour's."""
    raised = []
    for place in places:
        around = [scores[near] for near in (place - 1, place + 1) if near in scores]
        raised.append(scores[place] + NEIGHBOUR_SHARE * max(around, default=0.0))
    return raised


def redact(text: str) -> str:
    """The text as the default policy stores it."""
    return redaction.redact(text, Policy()).text


def is_injection(text: str) -> bool:
    """Whether a text is flagged as orders to the assistant."""
    return suspicious(text) >= FLAGGED
