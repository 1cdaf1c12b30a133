"""Google's errors → ours. Two shapes: newer services say `status`, older ones say `errors[].reason`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from holdfast.model.errors import CloudError, Retry
from holdfast.model.json import Json

NOT_FOUND = "NOT_FOUND"
EXISTS = ("ALREADY_EXISTS", "alreadyExists", "duplicate", "conflict", "RESOURCE_ALREADY_EXISTS")
# the service's own word → (our code, what to do)
TABLE: dict[str, tuple[str, Retry]] = {
    **dict.fromkeys(("UNAUTHENTICATED", "authError", "unauthorized"), ("HF501", Retry.SLOWLY)),
    **dict.fromkeys(("PERMISSION_DENIED", "forbidden", "insufficientPermissions", "accessNotConfigured", "SERVICE_DISABLED"), ("HF502", Retry.SLOWLY)),
    **dict.fromkeys(("RESOURCE_EXHAUSTED", "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "RATE_LIMIT_EXCEEDED", "RESOURCE_OPERATION_RATE_EXCEEDED"), ("HF503", Retry.SOON)),
    **dict.fromkeys(("INTERNAL", "UNKNOWN", "UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED", "backendError", "internalError", "SERVER_ERROR", "INTERNAL_ERROR", "TIMEOUT"), ("HF504", Retry.SOON)),
    **dict.fromkeys(("ABORTED", "conditionNotMet", "CONDITION_NOT_MET"), ("HF514", Retry.SOON)),
    # somebody was faster, or it is not shown yet: the next look sees it
    **dict.fromkeys(EXISTS, ("HF505", Retry.SOON)),
    # something else must happen first, and will
    **dict.fromkeys(("resourceNotReady", "RESOURCE_NOT_READY", "operationInProgress", "instanceNotReady"), ("HF505", Retry.SOON)),
    **dict.fromkeys(("resourceInUseByAnotherResource", "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", "resourceInUse", "containerNotEmpty",
                     "QUOTA_EXCEEDED", "ZONE_RESOURCE_POOL_EXHAUSTED"), ("HF505", Retry.SLOWLY)),
    **dict.fromkeys((NOT_FOUND, "notFound", "RESOURCE_NOT_FOUND"), ("HF505", Retry.SLOWLY)),
    **dict.fromkeys(("INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE", "UNIMPLEMENTED", "invalid", "badRequest", "required", "invalidParameter"),
                    ("HF505", Retry.NEVER)),
}
# numbers of google.rpc.Code, which operations carry instead of words
RPC = ("OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", NOT_FOUND, "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED",
       "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED")


_ABSENT = (NOT_FOUND, "notFound", "RESOURCE_NOT_FOUND", "instanceDoesNotExist", "404")  # the last where an error has no word but its number
_OTHERS = re.compile(r"^method not found|^(?:the )?(?:requested )?project\b[^.]*(?:not found|does not exist)|not have access to it|has not been used in project", re.IGNORECASE)
# services say "not now" in the words of "no": something of somebody's is still being carried out
_BUSY = re.compile(r"pending operation|operation (?:is )?(?:already )?in progress|(?:is|are) (?:currently )?being (?:created|updated|modified|deleted)|"
                   r"not (?:yet )?ready|try again|concurrent", re.IGNORECASE)


def translate(operation: str, status: int, body: bytes, headers: Mapping[str, str]) -> CloudError:
    """An answer that is no success. Only an error of the API itself can say "not found": a page of some proxy cannot."""
    after = headers.get("retry-after", "")
    wait = float(after) if after.replace(".", "", 1).isdigit() else 0.0
    found = _error_of(body)
    if found is None:
        code, retry = ("HF503", Retry.SOON) if status == 429 else ("HF504", Retry.SOON) if status >= 500 else ("HF513", Retry.SLOWLY)
        return CloudError(code, f"{operation}: HTTP {status}, and no error of the API in the answer", retry=retry, retry_after=wait)
    word, message = _word(found), str(found.get("message") or "")
    code, retry = TABLE.get(word) or _by_status(status)
    if status == 429:
        code, retry = "HF503", Retry.SOON
    if retry is Retry.NEVER and _BUSY.search(message):
        retry = Retry.SOON
    if status in (409, 412) and code == "HF505" and retry is Retry.NEVER:
        code, retry = ("HF514", Retry.SOON) if status == 412 else ("HF505", Retry.SOON)
    if status == 404 and not _is_definite(found, word, message):
        code, retry, word = "HF513", Retry.SLOWLY, f"HTTP 404 {word}"
    is_absent = status == 404 and code != "HF513"
    own = NOT_FOUND if is_absent else word if word not in _ABSENT else f"HTTP {status} {word}"
    return CloudError(code, f"{operation}: {word}: {message}", service_code=own, retry=retry, retry_after=wait)


def _is_definite(error: Mapping[str, Json], word: str, message: str) -> bool:
    """Whether a 404 is the service's word on the resource itself: not on the method, the project or the API, and not some proxy's."""
    details = [d for d in _list(error.get("details")) if isinstance(d, dict)]
    others = any("project" in str(d.get("resourceType", "")).lower() or d.get("reason") in TABLE for d in details)
    return word in _ABSENT and error.get("code", 404) == 404 and not others and not _OTHERS.search(message)


def from_operation(operation: str, error: Json) -> CloudError:
    """What a long-running operation ended in: google.rpc.Status, or Compute's and SQL's list of errors."""
    first = (_list(error.get("errors")) or [error])[0] if isinstance(error, Mapping) else {}
    first = first if isinstance(first, Mapping) else {}
    raw = first.get("code", "")
    word = RPC[raw] if isinstance(raw, int) and raw < len(RPC) else str(raw)
    code, retry = TABLE.get(word) or ("HF505", Retry.NEVER)
    if retry is Retry.NEVER and _BUSY.search(str(first.get("message") or "")):
        retry = Retry.SOON
    made = CloudError(code, f"{operation}: {word}: {first.get('message') or ''}", service_code=word, retry=retry)
    made.ended_operation = True
    return made


def _error_of(body: bytes) -> Mapping[str, Json] | None:
    try:
        parsed = json.loads(body)
    except ValueError:
        return None
    found = parsed.get("error") if isinstance(parsed, dict) else None
    return found if isinstance(found, dict) else None


def _word(error: Mapping[str, Json]) -> str:
    """The most telling of its words: a disabled API is more than "permission denied"."""
    details = [d.get("reason") for d in _list(error.get("details")) if isinstance(d, dict) and str(d.get("reason")) in TABLE]
    reasons = [e.get("reason") for e in _list(error.get("errors")) if isinstance(e, dict)]
    telling = [r for r in reasons if error.get("status") == "INVALID_ARGUMENT" and TABLE.get(str(r), ("", Retry.NEVER))[1] is not Retry.NEVER]
    return str(next((w for w in (*details, *telling, error.get("status"), *reasons) if w), "") or error.get("code") or "error")


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _by_status(status: int) -> tuple[str, Retry]:
    if status >= 500:
        return "HF504", Retry.SOON
    return {401: ("HF501", Retry.SLOWLY), 403: ("HF502", Retry.SLOWLY), 404: ("HF505", Retry.SLOWLY), 409: ("HF505", Retry.SOON),
            412: ("HF514", Retry.SOON)}.get(status, ("HF505", Retry.NEVER))
