"""Anthropic's memory tool on Sharpwave: what Claude writes into files, recall finds.

No key: the commands are those that Claude sends. With one, give the tool to
`client.beta.messages.tool_runner(..., tools=[tool])`. Needs `sharpwave[anthropic-memory]`.
"""

import tempfile
from pathlib import Path

from anthropic.lib.tools import ToolError

from sharpwave import Memory
from sharpwave.interfaces.adapters.anthropic_memory import SharpwaveMemoryTool

NOTES = "# Deploys\nWe deploy on Tuesdays.\nThe staging server is called heron.\n"
COMMANDS: list[dict[str, object]] = [
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": "/memories/work/deploys.md", "file_text": NOTES},
    {
        "command": "str_replace",
        "path": "/memories/work/deploys.md",
        "old_str": "on Tuesdays",
        "new_str": "on Fridays",
    },
    {"command": "view", "path": "/memories"},
    {"command": "view", "path": "/memories/../etc/passwd"},
]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
        tool = SharpwaveMemoryTool(memory)
        for command in COMMANDS:
            try:
                told = tool.call(command)
            except ToolError as refused:
                told = f"refused: {refused}"
            print(f"{command['command']} {command['path']}\n{told}\n")
        found = memory.recall("When do we deploy?")
        print(f"recall, {found.decision}: {found.items[0].text!r}")


if __name__ == "__main__":
    main()
