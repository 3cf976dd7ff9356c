"""The public names of `sharpwave`."""

from sharpwave.errors import (
    Conflict,
    InvalidInput,
    InvalidSettings,
    NotFound,
    ProviderError,
    SharpwaveError,
    StorageError,
    UsageError,
)
from sharpwave.memory import Memory
from sharpwave.ports import LLM, Clock, Embedder, IntentModel, Reranker
from sharpwave.settings import Settings
from sharpwave.types.answers import Decision, Forgotten, Recalled, Receipt, Recollection, Stats
from sharpwave.types.contexts import Context
from sharpwave.types.experience import Action, Advice, Insight, TaskRun
from sharpwave.types.intent import MessageLabels
from sharpwave.types.known import Contradiction, Entity, Explanation, Fact, Note, Relation, Task
from sharpwave.types.message import Message
from sharpwave.types.query import RecallQuery
from sharpwave.types.records import Kind, Record, Role, Source
from sharpwave.types.skills import FeedbackReceipt, Skill, SkillChoice
from sharpwave.types.sleep import Report
from sharpwave.types.steering import Behavior, Preference
from sharpwave.types.structured import FactInput, RuleInput, TaskInput
from sharpwave.wiring import load_settings

__all__ = [
    "LLM",
    "Action",
    "Advice",
    "Behavior",
    "Clock",
    "Conflict",
    "Context",
    "Contradiction",
    "Decision",
    "Embedder",
    "Entity",
    "Explanation",
    "Fact",
    "FactInput",
    "FeedbackReceipt",
    "Forgotten",
    "Insight",
    "IntentModel",
    "InvalidInput",
    "InvalidSettings",
    "Kind",
    "Memory",
    "Message",
    "MessageLabels",
    "NotFound",
    "Note",
    "Preference",
    "ProviderError",
    "RecallQuery",
    "Recalled",
    "Receipt",
    "Recollection",
    "Record",
    "Relation",
    "Report",
    "Reranker",
    "Role",
    "RuleInput",
    "Settings",
    "SharpwaveError",
    "Skill",
    "SkillChoice",
    "Source",
    "Stats",
    "StorageError",
    "Task",
    "TaskInput",
    "TaskRun",
    "UsageError",
    "load_settings",
]
