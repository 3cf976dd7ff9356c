"""A model that finds names, with a stand-in for the package."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sharpwave import InvalidSettings, Memory, Settings
from sharpwave.embedding import local_models
from sharpwave.embedding.local_models import GlinerNames
from sharpwave.settings.models import EmbedderSettings, NamesSettings
from sharpwave.types.statements import EntityKind, Mention, Span

KNOWN = {"東京": "place", "ana": "person", "Porto": "place"}


class Model:
    """Knows three names, and fails at the word "boom"."""

    device = ""

    @classmethod
    def from_pretrained(cls, path: str, local_files_only: bool, map_location: str) -> "Model":
        assert local_files_only, "nothing may be downloaded"
        cls.device = map_location
        if (Path(path) / "broken").exists():
            raise FileNotFoundError("gliner_config.json")
        return cls()

    def inference(
        self, texts: list[str], labels: list[str], threshold: float
    ) -> list[list[dict[str, Any]]]:
        assert set(labels) == {kind.value for kind in EntityKind} and threshold == 0.5
        if any("boom" in text for text in texts):
            raise RuntimeError("out of memory")
        return [
            [
                {"start": at, "end": at + len(name), "text": name, "label": label, "score": 0.9}
                for name, label in KNOWN.items()
                for at in (text.rfind(name), text.find(name))
                if at >= 0
            ]
            for text in texts
        ]


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    gpu = SimpleNamespace(is_available=lambda: True)
    stand_in = SimpleNamespace(GLiNER=Model, cuda=gpu)
    monkeypatch.setattr(local_models, "import_module", lambda _: stand_in)
    return stand_in


@pytest.mark.usefixtures("package")
def test_each_name_once_where_it_first_stands(tmp_path: Path) -> None:
    names = GlinerNames(tmp_path)

    porto = Mention("Porto", EntityKind.PLACE, Span(0, 5))
    ana = Mention("ana", EntityKind.PERSON, Span(10, 13))
    assert names.find(["Porto and ana, ana", "", "\ud800"]) == [(porto, ana), (), ()]
    assert names.find([]) == []


@pytest.mark.spec("MDL-03")
@pytest.mark.usefixtures("package")
def test_a_memory_knows_the_names_that_rules_miss(tmp_path: Path) -> None:
    chosen = NamesSettings(folder=tmp_path)
    plain = Settings(path=tmp_path / "m.db", embedder=EmbedderSettings(provider="hash"))
    with Memory.open(settings=plain) as memory:
        memory.remember("東京 is where we met ana.")
        assert memory.graph.about("東京").mentions == 0
    with Memory.open(settings=plain.model_copy(update={"names": chosen})) as memory:
        memory.remember("東京 is where we met ana last spring.")
        assert memory.graph.about("東京").mentions == memory.graph.about("ana").mentions == 1
        receipt = memory.remember("It went boom in Porto, with Bruno.")
        assert receipt.ids and memory.graph.about("Bruno").mentions == 1, "rules still find theirs"
        memory.remember({"role": "tool", "content": "東京 again, says a page."})
        assert memory.graph.about("東京").mentions == 1, "untrusted text is not read"


@pytest.mark.usefixtures("package")
def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    GlinerNames(tmp_path, "auto")
    assert Model.device == "cuda"
    (tmp_path / "broken").touch()
    with pytest.raises(InvalidSettings, match=r"no use: gliner_config\.json"):
        GlinerNames(tmp_path)
    with pytest.raises(InvalidSettings, match=r"names\.folder"):
        chosen = NamesSettings(folder=tmp_path / "nowhere")
        Memory.open(settings=Settings(path=tmp_path / "m.db", names=chosen))

    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(local_models, "import_module", missing)
    with pytest.raises(InvalidSettings, match=r"pip install 'sharpwave\[gliner\]'"):
        GlinerNames(tmp_path)
