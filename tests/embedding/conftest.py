"""The endpoint that language models are tested with serves vectors, too."""

from tests.llm.conftest import endpoint as endpoint
from tests.llm.conftest import make_llm as make_llm
from tests.llm.conftest import time as time
