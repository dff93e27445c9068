"""A reply that hit the token limit is asked for once more under a larger one, where the run says so."""

from __future__ import annotations

import msgspec

from eyechart.errors import ModelError
from eyechart.models import Request
from eyechart.records import Longer, Response, Sampling

# Twice as much often moves the cut into the middle of the next sentence; a reply that four times as much does not hold
# rarely comes to an end at all (a model that repeats itself), and no question costs more than five times the limit.
TIMES = 4


def with_larger_limit(sampling: Sampling) -> Sampling:
    """The sampling of a run that asks truncated replies again; where no limit is set, nothing is cut off by it."""
    limit = sampling.max_tokens
    return msgspec.structs.replace(sampling, retry_max_tokens=None if limit is None else TIMES * limit)


def cut_off(request: Request, result: Response | ModelError) -> Longer | None:
    """What to ask for in place of this reply; None where it stands."""
    limit = request.sampling.retry_max_tokens
    if limit is None or not isinstance(result, Response) or not result.truncated:
        return None
    return Longer(max_tokens=limit, cut=result)


def under(longer: Longer, request: Request) -> Request:
    """The same request under the larger limit, and no other after that."""
    sampling = msgspec.structs.replace(request.sampling, max_tokens=longer.max_tokens, retry_max_tokens=None)
    return msgspec.structs.replace(request, sampling=sampling)


def weighed(longer: Longer, second: Response | ModelError) -> tuple[Response | ModelError, Longer]:
    """The second outcome counts, whatever it is; but a limit that the server does not grant costs nobody the first."""
    if longer.cut is not None and isinstance(second, ModelError) and second.kind == "refused_request":
        return longer.cut, Longer(max_tokens=longer.max_tokens, refused=second.what)
    return second, longer
