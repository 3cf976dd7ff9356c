"""Trains what says which of the sentences beside it a sentence needs to be understood.

    python -m training.encoder.context

A label of the corpus is said best by one sentence. Where that one does not meet all of the label's
`need`, the nearest sentences of the turn that meet the rest are its context: up to two before it,
or up to two behind. Plain sentences made of labels need nothing, whatever stands beside
them. Learned from the states of the bundled encoder, which stays as it is:

    sentence, its turn, the ones before and behind  ->  needs the one before, the one behind

Prints how well that is known of validation people, and writes `data/reader_context.npz`. Needs
torch; some ten minutes on two cores.
"""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from sharpwave.embedding.reader import CONTEXT, SentenceReader, beside
from sharpwave.reading.segments import own_words
from sharpwave.reading.sentences import sentences
from sharpwave.types.statements import Span
from training.corpus import PEOPLE, is_validation
from training.encoder.readings import Label, plain, said_in
from training.encoder.train import auroc

TARGET = Path("src/sharpwave/data") / CONTEXT
HIDDEN, EPOCHS, AT_ONCE, RATE = 64, 8, 256, 1e-3
FARTHEST, JOINED = 4, 2
"""Sentences that a label may be spread over, and how far one reaches to be needed."""

Floats = NDArray[np.float32]


class Turn(NamedTuple):
    """The states of a turn's sentences, and which need those beside them; -1 if nobody can tell."""

    person: str
    states: Floats
    needs: Floats


def turns() -> Iterator[Turn]:
    """Of all people, those turns that have labels."""
    reader = SentenceReader()
    for file in sorted(PEOPLE.glob("*.json")):
        raw = json.loads(file.read_text("utf-8"))
        for made in plain(raw, random.Random(raw["id"])):
            rows = reader.rows(made.text, [label.span for label in made.labels])
            told = [any(label.kinds) for label in made.labels][: len(rows)]
            needs = np.where(np.array(told)[:, None], 0.0, -1.0).repeat(2, 1).astype(np.float32)
            yield Turn(raw["id"], beside(rows), needs)
        for turn in (turn for session in raw["sessions"] for turn in session["turns"]):
            labels = [one for kind in ("facts", "tasks", "rules") for one in turn.get(kind, ())]
            spans = sentences(own_words(turn["text"])) if turn["role"] == "user" else []
            if labels and spans:
                rows = reader.rows(turn["text"], spans)
                needs = needed(turn["text"], spans, labels)[: len(rows)]
                yield Turn(raw["id"], beside(rows), needs)


def needed(text: str, spans: Sequence[Span], labels: Sequence[dict[str, Any]]) -> Floats:
    """For each sentence 1 if it needs the one before, the one behind; -1 if no label tells."""
    needs = np.full((len(spans), 2), -1.0, np.float32)
    places = [Label(span) for span in spans]
    parts: list[tuple[int, int]] = []
    for label in labels:
        best, _ = said_in(label, text, places)
        context = context_of(label["need"], text, spans, best)
        parts += [(place, best) for place in context]
        before = any(0 < best - place <= JOINED for place in context)
        behind = any(0 < place - best <= JOINED for place in context)
        needs[best] = np.maximum(needs[best], (before, behind))
    told = needs[:, 0] >= 0
    for place, best in parts:
        if not told[place]:  # a part of what another sentence says
            toward = 0 < place - best <= JOINED, 0 < best - place <= JOINED
            needs[place] = np.maximum(needs[place], toward)
    return needs


def context_of(
    need: Sequence[Sequence[str]], text: str, spans: Sequence[Span], best: int
) -> list[int]:
    """The nearest sentences that say what the best one leaves out of a label."""
    met = [
        {at for at, group in enumerate(need) if any(one.lower() in said for one in group)}
        for said in (text[slice(*span)].lower() for span in spans)
    ]
    have, context = set(met[best]), []
    for place in sorted(range(len(spans)), key=lambda place: (abs(place - best), place)):
        if abs(place - best) <= FARTHEST and met[place] - have:
            context.append(place)
            have |= met[place]
    return context


def main() -> None:
    """Train, say how well it knows people it has not seen, and write the file."""
    taught: list[Turn] = []
    kept: list[Turn] = []
    for turn in turns():
        (kept if is_validation(turn.person) else taught).append(turn)
    torch.manual_seed(1)
    given, wanted = _told(taught)
    mean, spread = given.mean(0), given.std(0) + 1e-6
    net = torch.nn.Sequential(
        torch.nn.Dropout(0.2),
        torch.nn.Linear(given.shape[1], HIDDEN),
        torch.nn.GELU(),
        torch.nn.Dropout(0.2),
        torch.nn.Linear(HIDDEN, 2),
    )
    learner = torch.optim.AdamW(net.parameters(), lr=RATE)
    scaled = (given - mean) / spread
    for _ in range(EPOCHS):
        for some in torch.randperm(len(scaled)).split(AT_ONCE):
            loss = F.binary_cross_entropy_with_logits(net(scaled[some]), wanted[some])
            learner.zero_grad()
            loss.backward()
            learner.step()
    net.eval()
    with torch.no_grad():
        given, wanted = _told(kept)
        said = net((given - mean) / spread)
        for name, column in (("before", 0), ("behind", 1)):
            right = wanted[:, column].numpy() > 0
            print(f"{name}: {auroc(said[:, column].tolist(), right.tolist()):.3f} of {len(right)}")
        inner, outer = net[1], net[4]
        weight = inner.weight / spread  # the states as they are, in the file
        numbers = {
            "inner.weight": weight,
            "inner.bias": inner.bias - weight @ mean,
            "outer.weight": outer.weight,
            "outer.bias": outer.bias,
        }
        np.savez_compressed(
            TARGET, **{name: one.numpy().astype(np.float16) for name, one in numbers.items()}
        )


def _told(some: Sequence[Turn]) -> tuple[torch.Tensor, torch.Tensor]:
    """The sentences of which a label tells what they need."""
    states = np.concatenate([turn.states for turn in some])
    needs = np.concatenate([turn.needs for turn in some])
    told = needs[:, 0] >= 0
    return torch.tensor(states[told]), torch.tensor(needs[told])


if __name__ == "__main__":
    main()
