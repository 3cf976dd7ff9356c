"""Which vendor is asked, with which key, and which role is played where."""

from contextlib import suppress
from pathlib import Path

import pytest
from pydantic import ValidationError
from tests.llm.chat_endpoint import BLUE, PROMPT, Colour, said
from tests.llm.endpoint import KEY, Endpoint, failure

from sharpwave import InvalidSettings, load_settings
from sharpwave.errors import ProviderMisbehaved
from sharpwave.llm.chat_llm import open_llm
from sharpwave.settings.models import LLMSettings
from sharpwave.types.llm import LLMProvider, LLMRole

MODEL = {"models": {"default": "m"}}
HOSTED = [vendor for vendor in LLMProvider if vendor.key_variable]


def settings(**given: object) -> LLMSettings:
    return LLMSettings.model_validate(MODEL | given)


def test_every_vendor_has_an_address() -> None:
    for vendor in set(LLMProvider) - {LLMProvider.NONE}:
        assert open_llm(settings(provider=vendor, api_key="k"), {}), "its address is one"
        assert vendor.base_url.startswith("https://" if vendor.key_variable else "http://localhost")


@pytest.mark.parametrize("name", HOSTED)
def test_a_missing_key_is_named_with_its_variable(name: LLMProvider) -> None:
    variable = str(name.key_variable)

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


@pytest.mark.parametrize(
    ("provider", "package"), [("openai", "OPENAI"), ("anthropic", "ANTHROPIC")]
)
def test_what_variables_of_the_packages_hold_is_not_sent_along(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, provider: str, package: str
) -> None:
    monkeypatch.setenv(
        f"{package}_CUSTOM_HEADERS", f"X-Gateway: {KEY}\nauthorization: Bearer {KEY}"
    )
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, KEY)
    endpoint.otherwise = lambda asked: said(BLUE)
    llm = open_llm(settings(provider=provider, base_url=endpoint.url, api_key="mine"), {})
    assert llm is not None

    with suppress(ProviderMisbehaved):  # the endpoint speaks the one's protocol only
        llm.complete(PROMPT, LLMRole.UTILITY)

    assert endpoint.authorizations == ["Bearer mine"]
    assert KEY not in str(endpoint.headers)


def test_an_address_may_hold_its_own_password(endpoint: Endpoint) -> None:
    endpoint.otherwise = lambda asked: said(BLUE)
    url = endpoint.url.replace("//", "//ana:secret@")
    llm = open_llm(settings(provider="vllm", base_url=url), {})

    assert llm is not None and llm.complete(PROMPT, LLMRole.UTILITY).text == BLUE
    assert str(endpoint.authorizations[0]).startswith("Basic ")


@pytest.mark.parametrize("given", [{"base_url": "http://localhost:9/v1"}, {"api_key": "k"}])
def test_a_place_without_a_provider_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match=r"elsewhere\.utility\.provider"):
        settings(provider="openrouter", elsewhere={"utility": given})


def test_variables_name_models_and_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in {
        "PROVIDER": "openrouter",
        "MODELS__DEFAULT": "big",
        "MODELS__UTILITY": "4",
        "ELSEWHERE__UTILITY__PROVIDER": "ollama",
        "ELSEWHERE__UTILITY__INPUT_PRICE": "0.5",
    }.items():
        monkeypatch.setenv(f"SHARPWAVE_LLM__{name}", value)

    llm = load_settings(path=tmp_path / "m.db").llm

    assert [llm.model_of(role) for role in LLMRole] == ["big", "big", "big", "4"]
    assert llm.of(LLMRole.UTILITY).provider is LLMProvider.OLLAMA
    assert llm.of(LLMRole.UTILITY).input_price == 0.5
    assert LLMSettings.model_validate(llm.model_dump()) == llm


def test_an_error_names_the_settings_of_its_role(endpoint: Endpoint) -> None:
    endpoint.otherwise = lambda asked: failure(401, "no")
    elsewhere = {"utility": {"provider": "ollama", "base_url": endpoint.url}}
    llm = open_llm(settings(provider="vllm", elsewhere=elsewhere), {})
    assert llm is not None

    with pytest.raises(ProviderMisbehaved, match=r"set llm\.elsewhere\.utility\.api_key"):
        llm.complete(PROMPT, LLMRole.UTILITY)


def test_connections_can_be_closed(endpoint: Endpoint) -> None:
    elsewhere = {"utility": {"provider": "ollama", "base_url": endpoint.url}}
    llm = open_llm(settings(provider="vllm", base_url=endpoint.url, elsewhere=elsewhere), {})
    assert llm is not None

    llm.close()

    for role in (LLMRole.UTILITY, LLMRole.ANALYZER):
        with pytest.raises(RuntimeError, match="closed"):
            llm.complete(PROMPT, role)
