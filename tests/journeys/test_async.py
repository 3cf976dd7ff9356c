"""The async surface does what the sync one does."""

import asyncio
from pathlib import Path

import pytest

from sharpwave import AsyncMemory, NotFound


def test_everything_can_be_awaited(tmp_path: Path) -> None:
    async def journey() -> None:
        async with await AsyncMemory.open(tmp_path / "m.db", user="ana") as memory:
            receipt = await memory.remember("My tram is line 28.", session="s")
            await asyncio.gather(*(memory.remember(f"{n} and counting") for n in range(20)))
            assert (await memory.recall("tram line")).items[0].record.id == receipt.ids[0]
            lines = [line async for line in memory.export()]
            count = (await memory.admin.stats()).memories
            assert len(lines) == 1 + count >= 22 and memory.user_id == "ana"
            twin = memory.user("bo")
            taken = await twin.admin.import_(lines)
            assert taken.added + taken.left_out == count and taken.added >= 21
            assert await twin.admin.reembed() == 0
            assert await memory.admin.users() == ["ana", "bo"]
            assert (await memory.admin.stats(all_users=True)).by_kind["turn"] == 42
            gone = await memory.forget(session="s")
            assert gone.memories == 1 + gone.derived, "the turn, and what was learned from it"
            with pytest.raises(NotFound):
                await memory.forget("nope")
            await memory.admin.backup(tmp_path / "copy.db")
            assert (await memory.admin.verify()).ok

    asyncio.run(journey())
