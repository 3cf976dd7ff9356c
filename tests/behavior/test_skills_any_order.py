"""Whatever is said in whatever order: learned one by one is the same as learned anew."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sharpwave import Memory
from sharpwave.behavior.skills import state
from sharpwave.testing import in_memory, workspace_of
from sharpwave.types.intent import ReadContext

CONTEXTS = [
    ReadContext("question", "neutral", "morning", None, ()),
    ReadContext("chat", "positive", "evening", None, ()),
]
NAMES = ["question_neutral_morning", "chat_positive_evening", None]
messages = st.integers(0, 4)
steps = st.one_of(
    st.tuples(st.just("choose"), messages, st.integers(0, 1)),
    st.tuples(st.just("rate"), messages, st.sampled_from([-1, 0, 1])),
    st.tuples(st.just("hint"), messages, st.floats(-1, 1)),
    st.tuples(st.just("comment"), messages, st.sampled_from(["too long", "too brief", "lovely"])),
    st.tuples(st.just("read"), st.just(0), st.just(0)),
    st.tuples(st.just("set"), st.sampled_from(NAMES), st.floats(0, 1)),
    st.tuples(st.just("reset"), st.sampled_from(NAMES), st.sampled_from(["verbosity", None])),
    st.tuples(st.just("forget skill"), st.just(0), st.just(0)),
    st.tuples(st.just("aside"), st.booleans(), st.just(0)),
)


def do(memory: Memory, step: tuple[str, Any, Any]) -> None:
    what, first, second = step
    if what == "choose":
        memory.skills.select("…", message_id=f"m{first}", context=CONTEXTS[second])
    elif what == "rate":
        memory.feedback(f"m{first}", second, skill="casual_chat")
    elif what == "hint":
        memory.feedback(f"m{first}", second, skill="casual_chat", implicit=True)
    elif what == "comment":
        memory.feedback(f"m{first}", 0, free_text=second, skill="mine")
    elif what == "read":
        memory.skills.learn(even_if_few=True)
    elif what == "set":
        memory.skills.set_style({"verbosity": second}, first)
    elif what == "reset":
        memory.skills.reset(context=first, dimension=second)
    elif what == "forget skill":
        memory.skills.reset(skill="casual_chat")
    else:
        memory.skills.archive("casual_chat", undo=first)


def standing(memory: Memory) -> dict[str, Any]:
    """Everything that is known, without what says nothing."""
    workspace = workspace_of(memory)
    found = {key: dict(tally.value) for key, tally in state.stored_rows(workspace).items()}
    anew = state.computed_from(state.lesson_records(workspace))
    made = {(tally.topic, tally.name): tally.value for tally in anew.new()}
    return {"kept": found, "anew": made}


@settings(max_examples=25)
@given(st.lists(steps, max_size=14))
def test_one_by_one_is_the_same_as_anew(story: list[tuple[str, Any, Any]]) -> None:
    memory = in_memory()
    memory.skills.create("mine", "My way.")
    for step in story:
        do(memory, step)
    seen = standing(memory)
    assert seen["kept"] == {key: value for key, value in seen["anew"].items() if value is not None}
    memory.close()
