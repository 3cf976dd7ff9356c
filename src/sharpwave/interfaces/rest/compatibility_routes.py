"""Routes of the original specification, kept for its clients; new clients use /v1.

They have a `user_id`, but the key decides which memory is used [API-01…04, FB-01].
"""

import json
from typing import Annotated, Any
from unicodedata import normalize

from fastapi import APIRouter
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from sharpwave import strict_json
from sharpwave.client.bodies import Comment, Name, Text
from sharpwave.errors import Forbidden, UsageError
from sharpwave.interfaces.rest.idempotency import HEADER, digest
from sharpwave.interfaces.rest.problems import MEDIA_TYPE
from sharpwave.interfaces.rest.routes import (
    memory_of,
    principal,
    rendered,
    router,
    scoped,
    strictly,
)
from sharpwave.memory import Memory
from sharpwave.types.access import Scope
from sharpwave.types.answers import Recalled, Verdict
from sharpwave.types.known import Fact, Note, Task
from sharpwave.types.message import Message
from sharpwave.types.numbers import IsWhole, Whole
from sharpwave.types.records import Channel, Kind
from sharpwave.types.sleep import Report

FEEDBACK = "/api/v1/memory/feedback"
_CODES = {422: "validation_error", 500: "internal_error"}
Items = Annotated[list[Text], Field(max_length=100)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    user_id: Name | None = None


class RetrieveForm(_Form):
    """A question, with what the asker is after."""

    query: Text
    active_goal: Text | None = None
    K: Annotated[Whole, Field(ge=1, le=1000), IsWhole] = 16


class Retrieved(BaseModel):
    """What belongs to the question, by kind."""

    profile: list[Fact]
    episodic: list[Recalled]
    tasks: list[Task]
    reflective: list[Note]
    debug: dict[str, Any]


class WriteForm(_Form):
    """Things to remember, in words, by kind."""

    facts: Items = []
    episodes: Items = []
    reflective: Items = []
    tasks: Items = []


class Rejected(BaseModel):
    """What was not stored, and why."""

    item: str
    reason: str


class WriteOutcome(BaseModel):
    """What became of the items."""

    accepted: list[str]
    rejected: list[Rejected]


class VersionForm(_Form):
    """A fact, and until when it held."""

    fact_id: Name
    valid_to: AwareDatetime


class CompactForm(_Form):
    """Whose memory, if it has to be said."""


class FeedbackForm(_Form):
    """What the user thought of an answer [FB-02]."""

    message_id: Name
    skill_id: Name
    reward: Annotated[float, Field(description="1, -1 or 0; anything else is an invalid_reward.")]
    reason: Name | None = None
    free_text: Comment | None = None


class FeedbackTaken(BaseModel):
    """What it changed [FB-03]."""

    status: Annotated[str, Field(description="success; not_stored if the user does not agree.")]
    skill_updated: bool
    new_confidence: float


def retrieve(request: Request, body: Annotated[RetrieveForm, strictly(RetrieveForm)]) -> Response:
    """What is remembered for a question: profile, episodes, tasks and notes."""
    memory = _memory(request, body)
    recollection = memory.recall(body.query, k=body.K, goal=body.active_goal)
    debug = {
        "scores": {item.record.id: item.score for item in recollection.items},
        "decision": recollection.decision,
        "confidence": recollection.confidence,
        "weights": recollection.weights,
    }
    answer = Retrieved.model_construct(
        profile=memory.facts.profile(),
        episodic=list(recollection.items),
        tasks=memory.tasks.list("active"),
        reflective=memory.behavior.notes(),
        debug=debug,
    )
    return rendered(answer, Retrieved)


def write(request: Request, body: Annotated[WriteForm, strictly(WriteForm)]) -> Response:
    """Remember facts, episodes, notes and tasks; says which were taken and which not."""
    memory, author = _memory(request, body), principal(request).key_name
    items = [
        *((text, Kind.TURN, True) for text in body.facts),
        *((text, Kind.TURN, False) for text in body.episodes),
        *((text, Kind.NOTE, False) for text in body.reflective),
        *((text, Kind.TASK, False) for text in body.tasks),
    ]
    answer, key = WriteOutcome(accepted=[], rejected=[]), request.headers.get(HEADER)
    for position, (text, kind, stated) in enumerate(items):
        # a separate key for each: if one fails, those before it are not stored again
        item_key = key and digest(key, str(position), text).hex()
        message = Message(
            text, kind=kind, channel=Channel.REST, author=author, idempotency_key=item_key
        )
        _write_one(memory, message, stated, answer)
    return rendered(answer, WriteOutcome)


def _write_one(memory: Memory, message: Message, stated: bool, answer: WriteOutcome) -> None:
    """Store one item. A stated fact is rejected if nothing was learned from it."""
    try:
        receipt = memory.remember(message)
    except UsageError as error:
        answer.rejected.append(Rejected(item=message.text, reason=str(error)))
        return
    if receipt.replayed:
        answer.accepted += receipt.ids
        return
    accepted = [outcome for outcome in receipt.learned if outcome.verdict is not Verdict.REJECTED]
    if not receipt.ids or (stated and not accepted):
        reasons = [outcome.reason for outcome in receipt.learned] or [
            *receipt.notes,
            "no fact was found",
        ]
        answer.rejected.append(Rejected(item=message.text, reason=reasons[0]))
        return
    answer.accepted += [outcome.id for outcome in accepted if outcome.id] or list(receipt.ids)


def version(request: Request, body: Annotated[VersionForm, strictly(VersionForm)]) -> Response:
    """Say until when a fact held; it stays in the history."""
    return rendered(_memory(request, body).facts.end(body.fact_id, body.valid_to), Fact)


def compact(request: Request, body: Annotated[CompactForm, strictly(CompactForm)]) -> Response:
    """Do now what is done at rest: consolidate, and tell what was done and why."""
    return rendered(_memory(request, body).sleep(), Report)


def feedback(request: Request, body: Annotated[FeedbackForm, strictly(FeedbackForm)]) -> Response:
    """Say what the user thought of an answer; it is learned from at once."""
    receipt = _memory(request, body).feedback(
        body.message_id, body.reward, body.reason, body.free_text, body.skill_id
    )
    answer = FeedbackTaken(
        status="not_stored" if receipt.id is None else "success",
        skill_updated=receipt.skill_updated,
        new_confidence=receipt.new_confidence,
    )
    return rendered(answer, FeedbackTaken)


def with_documented_names(request: Request, problem: Response) -> Response:
    """A problem of the feedback route with the field names of the specification [FB-04]."""
    if request.url.path != FEEDBACK:
        return problem
    body = strict_json.loads(bytes(problem.body))
    code = _CODES.get(problem.status_code, body["code"])
    body |= {"code": code, "error": code, "message": body["detail"]}
    return Response(json.dumps(body), problem.status_code, media_type=MEDIA_TYPE)


def _memory(request: Request, body: _Form) -> Memory:
    user_id = body.user_id and normalize("NFC", body.user_id)
    if user_id is not None and user_id != principal(request).user_id:
        raise Forbidden("this key is not for that user")
    return memory_of(request)


def routes() -> APIRouter:
    """The routes of this file."""
    api = router()
    for path, endpoint, model, scope in (
        ("/memory/retrieve", retrieve, Retrieved, Scope.READ),
        ("/memory/write", write, WriteOutcome, Scope.WRITE),
        ("/memory/profile/version", version, Fact, Scope.WRITE),
        ("/memory/compact", compact, Report, Scope.WRITE),
        (FEEDBACK, feedback, FeedbackTaken, Scope.WRITE),
    ):
        api.add_api_route(
            path,
            endpoint,
            methods=["POST"],
            response_model=model,
            tags=["documents"],
            operation_id=path.removeprefix("/api/v1").strip("/").replace("/", "_"),
            openapi_extra=scoped(scope),
        )
    return api
