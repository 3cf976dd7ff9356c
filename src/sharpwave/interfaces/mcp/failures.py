"""What an agent is told when a call fails: what happened, and what to do about it."""

from sharpwave.errors import SharpwaveError

WHAT_TO_DO = {
    "invalid_input": "Change the arguments as the message says and call again.",
    "sensitive_content": "Leave the secret out; only the user can allow it: sharpwave consent …",
    "skill_not_found": "There is no such skill. Leave `skill` out, or ask the user which it was.",
    "busy": "Another worker is at it. Try again later; nothing is lost.",
    "not_found": "There is no such thing here. Find the right id with recall or pending_review.",
    "key_reused": "That idempotency_key stands for other words. Use another, or leave it out.",
    "overtaken": "Somebody else changed it meanwhile. Read it again, then repeat the call.",
    "conflict": "Read what is stored with recall, then repeat the call.",
    "provider_unavailable": "Try again later; nothing is lost.",
    "budget_spent": "The day's allowance for models is used up. Try again tomorrow.",
    "store_busy": "Another program is writing. Call again with the same arguments.",
    "store_full": "The disk is full. Tell the user; nothing was stored.",
    "store_degraded": "Call again with the same arguments: it is not stored twice.",
}
_OTHERWISE = "Tell the user. `sharpwave doctor` in a terminal finds out more."


def explained(error: SharpwaveError) -> str:
    """One text for a model."""
    return f"{error.code}: {error}\nWhat to do: {WHAT_TO_DO.get(error.code, _OTHERWISE)}"
