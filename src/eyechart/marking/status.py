"""Whether a reply is an answer: ok, unreadable, empty, truncated or a refusal."""

from __future__ import annotations

from eyechart.records import ReplyStatus, Response, Score

# A reply that begins so, and that earned no marks, is counted as a refusal. The list is short on purpose: it serves to
# notice a model that declines, not to judge answers, and changes no score.
REFUSALS: tuple[str, ...] = (
    "i'm sorry",
    "i am sorry",
    "sorry,",
    "i can't",
    "i cannot",
    "i can not",
    "i'm unable",
    "i am unable",
    "i'm not able",
    "i am not able",
    "i won't",
    "i will not",
    "unfortunately, i",
    "as an ai",
)


def reply_status(reply: Response, headline: Score) -> ReplyStatus:
    """What kind of reply this is, by the first rule that holds; `headline` is what the first metric made of it."""
    if not reply.text.strip():
        return "truncated" if reply.truncated else "empty"
    if reply.truncated:
        return "truncated"
    if not headline.value and is_refusal(reply.text):
        return "refusal"
    if headline.read_as is None and not headline.error:
        return "unreadable"
    return "ok"


def is_refusal(text: str) -> bool:
    """Whether the reply begins with one of the phrases by which models decline."""
    return text[:80].lstrip(" \n\t\"'*").casefold().replace("’", "'").startswith(REFUSALS)
