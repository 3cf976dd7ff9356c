"""LangChain: a retriever over what is remembered."""

from typing import Any

from sharpwave.interfaces.adapters.core import requires
from sharpwave.memory import Memory
from sharpwave.rendering import escaped_hidden
from sharpwave.types.answers import Recalled

with requires("langchain"):
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever


class SharpwaveRetriever(BaseRetriever):
    """Recalls what is remembered about a question, as documents, best first.

    `invoke`, `ainvoke` and the rest are LangChain's own; `k` may be given to each call too.
    """

    memory: Memory
    k: int = 8
    """How many documents at most."""
    session: str | None = None
    """Only this conversation."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        recollection = self.memory.recall(query, k=self.k if k is None else k, session=self.session)
        return [_document(item, recollection.decision.value) for item in recollection]


def _document(item: Recalled, decision: str) -> Document:
    record = item.record
    metadata: dict[str, Any] = {
        "kind": record.kind.value,
        "score": item.score,
        "source": record.provenance.source.value,
        "trust": record.provenance.trust.name.lower(),
        "said_at": record.valid_from.isoformat(),
        "session": record.session_id,
        "decision": decision,
    }
    return Document(id=record.id, page_content=escaped_hidden(record.text), metadata=metadata)
