"""`completion`: the script by which a shell completes commands and options."""

from enum import StrEnum
from typing import Annotated

import typer
from typer import completion as completing

from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson

_PROGRAM = "sharpwave"


class Shell(StrEnum):
    """Shells that can be taught."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(
    shell: Annotated[Shell, typer.Argument(help="The shell that is to complete.")],
    json: AsJson = False,
) -> None:
    """Print what lets a shell complete commands and options.

    For bash, add to ~/.bashrc: eval "$(sharpwave completion bash)". `sharpwave
    --install-completion` does this for the shell you are in.
    """
    asked = f"_{_PROGRAM.upper()}_COMPLETE"
    script: str = completing.get_completion_script(  # type: ignore[attr-defined]
        prog_name=_PROGRAM, complete_var=asked, shell=shell.value
    )
    if json:
        output.as_json({"shell": shell.value, "script": script})
    else:
        print(script)
