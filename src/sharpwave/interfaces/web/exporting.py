"""Everything of a user as a file, streamed."""

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from sharpwave.errors import SharpwaveError
from sharpwave.interfaces.rest.problems import of_error
from sharpwave.interfaces.web.visit import VISIT, Visit

PATH = "/export"


async def export(request: Request) -> Response:
    """Send every record as a line of JSON, as `Memory.export` gives them."""
    visit: Visit = request.scope[VISIT]
    try:
        lines = await visit.ask(visit.memory.export)
    except SharpwaveError as error:
        return of_error(error)
    return StreamingResponse(
        (f"{line}\n" for line in lines),
        media_type="application/x-ndjson",
        headers={"content-disposition": 'attachment; filename="sharpwave-export.jsonl"'},
    )
