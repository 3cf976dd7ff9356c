"""Which vendor is asked, with which key, and which role is played where."""

from pathlib import Path

import pytest
from tests.providers.chat_endpoint import BLUE, PROMPT, Colour, said
from tests.providers.endpoint import KEY, Endpoint

from sharpwave.errors import InvalidSettings
from sharpwave.providers.llm.by_role import open_llm
from sharpwave.providers.llm.vendors import VENDORS
from sharpwave.tunables.models import LLMSettings
from sharpwave.types.llm import LLMProvider, LLMRole
from sharpwave.wiring import load_settings

MODEL = {"models": {"default": "m"}}
HOSTED = [name for name, vendor in VENDORS.items() if vendor.key_variable]


def settings(**given: object) -> LLMSettings:
    return LLMSettings.model_validate(MODEL | given)


def test_every_vendor_has_a_row() -> None:
    assert set(VENDORS) == set(LLMProvider) - {LLMProvider.NONE}
    for name, vendor in VENDORS.items():
        assert open_llm(settings(provider=name, api_key="k"), {}), "its address is one"
        assert vendor.base_url.startswith("https://" if vendor.key_variable else "http://localhost")


@pytest.mark.parametrize("name", HOSTED)
def test_a_missing_key_is_named_with_its_variable(name: LLMProvider) -> None:
    variable = str(VENDORS[name].key_variable)

    with pytest.raises(
        InvalidSettings, match=rf"{name} wants a key: set llm\.api_key or .*{variable}"
    ):
        open_llm(settings(provider=name), {})
    assert open_llm(settings(provider=name), {variable: "k"})


def test_a_key_in_a_variable_goes_to_its_vendor_only(endpoint: Endpoint) -> None:
    endpoint.otherwise = lambda asked: said(BLUE)
    llm = open_llm(
        settings(provider="openrouter", base_url=endpoint.url), {"OPENROUTER_API_KEY": KEY}
    )

    assert llm is not None and llm.complete(PROMPT, LLMRole.UTILITY).text == BLUE
    assert KEY not in str(endpoint.headers)


def test_one_that_knows_no_schema_is_not_sent_one(endpoint: Endpoint) -> None:
    endpoint.otherwise = lambda asked: said(BLUE)
    llm = open_llm(settings(provider="deepseek", base_url=endpoint.url), {})

    assert llm is not None and llm.structured(PROMPT, Colour, LLMRole.UTILITY).value.name == "blue"
    (asked,) = endpoint.requests
    assert asked["response_format"] == {"type": "json_object"}


@pytest.mark.spec("LLM-02", "LLM-04")
def test_a_role_may_be_played_elsewhere(endpoint: Endpoint) -> None:
    endpoint.otherwise = lambda asked: said(BLUE)
    chosen = settings(
        provider="openrouter",
        models={"default": "big", "utility": "small"},
        elsewhere={"utility": {"provider": "ollama", "base_url": endpoint.url}},
        input_price=3.0,
        output_price=15.0,
    )
    llm = open_llm(chosen, {"OPENROUTER_API_KEY": KEY})

    assert llm is not None
    assert [llm.model(role) for role in LLMRole] == ["big", "big", "big", "small"]
    assert llm.complete(PROMPT, LLMRole.UTILITY).usage.model == "small"
    assert llm.structured(PROMPT, Colour, LLMRole.UTILITY).value.name == "blue"
    assert [request["model"] for request in endpoint.requests] == ["small", "small"]
    assert KEY not in str(endpoint.headers)
    assert (chosen.of(LLMRole.UTILITY).input_price, chosen.of(LLMRole.ANALYZER).input_price) == (
        0.0,
        3.0,
    )


def test_every_role_needs_somebody() -> None:
    assert open_llm(settings(), {}) is None
    with pytest.raises(InvalidSettings, match=r"llm\.provider: say who plays the role analyzer"):
        open_llm(settings(elsewhere={"utility": {"provider": "ollama"}}), {})
    with pytest.raises(
        InvalidSettings, match=r"set llm\.elsewhere\.utility\.api_key or .*GROQ_API"
    ):
        open_llm(settings(provider="vllm", elsewhere={"utility": {"provider": "groq"}}), {})


def test_an_unknown_vendor_is_told_with_all_that_are_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHARPWAVE_LLM__PROVIDER", "opneai")

    with pytest.raises(InvalidSettings, match=r"SHARPWAVE_LLM__PROVIDER") as caught:
        load_settings(path=tmp_path / "m.db")

    assert all(f"'{name}'" in str(caught.value) for name in LLMProvider)
