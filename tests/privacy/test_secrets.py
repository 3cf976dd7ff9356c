"""Keys, passwords and PINs: found by prefix, by chance, or by the words around them."""

from pathlib import Path

import pytest
from tests.privacy.test_structured import STRUCTURED, split

from evals import sensitive
from evals.sensitive import find_sensitive as find
from sharpwave import Memory, Message
from sharpwave.privacy.redaction import redact
from sharpwave.settings.privacy import Policy

MIXED = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"

FOUND = [
    ("api_key", f"«sk-{MIXED}»"),
    ("api_key", f"key: «sk-proj-{MIXED}_-{MIXED}»,"),
    ("api_key", f"«sk-ant-api03-{MIXED}»"),
    ("api_key", "id «AKIAIOSFODNN7EXAMPLE»."),
    ("api_key", f"«ghp_{MIXED[:36]}»"),
    ("api_key", f"«github_pat_{MIXED}»"),
    ("api_key", f"«xoxb-1234567890-{MIXED[:24]}»"),
    ("api_key", f"url?k=«AIza{MIXED[:35]}»"),
    ("api_key", "use «hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh»"),
    ("api_key", f"«sk_live_{MIXED[:24]}»"),
    ("api_key", f"«https://hooks.slack.com/services/T0/B0/{MIXED[:24]}»"),
    ("api_key", f"API_KEY={'«'}{MIXED[:24]}»"),
    ("api_key", f"my api key is «{HEX}»"),
    ("api_key", "api key: «123e4567-e89b-12d3-a456-426614174000»"),
    ("api_key", f"Authorization: Bearer «{MIXED}»"),
    ("api_key", f"here: «{MIXED}» ok"),
    ("api_key", f"token: «msg_{HEX}»"),
    ("api_key", f"«msg_{MIXED}»"),
    ("api_key", f"«acct_{HEX}»"),
    ("token", f"«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{MIXED}»"),
    ("token", f"call_«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{MIXED}»"),
    (
        "private_key",
        f"«-----BEGIN RSA PRIVATE KEY-----\n{MIXED}\n-----END RSA PRIVATE KEY-----» ok",
    ),
    ("private_key", f"«-----BEGIN PRIVATE KEY-----\n{MIXED}»"),
    ("password", "password: «x!y»"),
    ("password", "password: «swordfish»"),
    ("password", "my password is «hunter2»."),
    ("password", "the wifi password is «sunshine», ok?"),
    ("password", "the password for the router is «Blue42»"),
    ("password", "set the password to '«correct horse battery»'"),
    ("password", "DB_PASSWORD=«s3cr3t»"),
    ("password", '{"password": "«abc def»"}'),
    ("password", "postgres://ana:«s3cr3t»@db.internal/app"),
    ("pin", "my pin is «1234»"),
    ("pin", "PIN: «482910»"),
    ("pin", "the alarm code for the office is «7531»."),
    ("pin", "your verification code is «493021»"),
]

NOT_FOUND = [
    "I forgot my password again",
    "the password is wrong, and it was stolen",
    "my password is required to be long",
    "which password manager is best? password: required",
    "password = input('your password')",
    "password: ******** and password=${DB_PASSWORD}",
    f"commit {HEX}",
    f"the sha256 is {HEX}{HEX[:24]}",
    "session 123e4567-e89b-12d3-a456-426614174000",
    f"the answer was resp_{HEX}{HEX[:8]}, in conv_{HEX}{HEX[:8]}",
    f"rs_{HEX[:32]} came before fc_{HEX}{HEX[:8]} and msg_{HEX}{HEX[:10]}",
    f"call_{MIXED[:24]} toolu_01{MIXED[:22]} srvtoolu_01{MIXED[:22]} chatcmpl-{MIXED[:29]}",
    "the key is under the mat",
    "the secret to good bread is a slow and cold fermentation",
    "key: value, token: string",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxx is a placeholder",
    "AbstractSingletonProxyFactoryBeanConfigurationPostProcessor",
    "my zip code is 94110 and the area code is 212",
    "pin it to the board, 10 pins in 3 rows",
    "spinning 2000 times; the passage of 1984",
    "pneumonoultramicroscopicsilicovolcanoconiosis",
    "see https://docs.example.com/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
]


@pytest.mark.parametrize(("kind", "marked"), FOUND)
def test_found(kind: str, marked: str) -> None:
    text, span = split(marked)
    found = [(one.kind.value, text[slice(*one.span)]) for one in find(text, STRUCTURED)]
    assert (kind, text[slice(*span)]) in found


@pytest.mark.parametrize("text", NOT_FOUND)
def test_not_found(text: str) -> None:
    assert [one for one in find(text, STRUCTURED) if one.kind.value != "url"] == []


@pytest.mark.spec("SEC-10")
def test_keys_addresses_and_cards_get_the_labels_of_the_specification() -> None:
    text = f"key {MIXED}, mail ana@example.com, card 4111 1111 1111 1111"
    redacted = redact(text, Policy.model_validate({"contact": "redact"}))
    assert redacted.text == "key [REDACTED_KEY], mail [EMAIL], card [CC]"


@pytest.mark.spec("SEC-10")
def test_what_three_expressions_get_wrong() -> None:
    """Resolution 54: hashes stay; keys with hyphens, short keys and passwords go."""
    assert redact(f"commit {HEX}", Policy()).text == f"commit {HEX}"
    assert redact(f"sk-proj-{MIXED}", Policy()).text == "[REDACTED_KEY]"
    assert redact("AKIAIOSFODNN7EXAMPLE", Policy()).text == "[REDACTED_KEY]"
    assert redact("password: x7!", Policy()).text == "password: [PASSWORD]"
    assert redact("1234 5678 9012 3456", Policy()).text == "1234 5678 9012 3456"


def test_ids_and_sealed_thoughts_of_a_models_server_are_kept(tmp_path: Path) -> None:
    sealed = "gAAAAAB" + MIXED * 20
    item = {"id": f"rs_{HEX}{HEX[:8]}", "encrypted_content": sealed, "summary": []}
    short = {"encrypted_content": sealed[:200]}
    leaks = {"encrypted_content": f"sk-proj-{MIXED}{MIXED}", "note": sealed[:200]}
    with Memory.open(tmp_path / "memory.db") as memory:
        said = [Message("Hm.", metadata={"item": one}) for one in (item, short, leaks)]
        memory.remember(said)
        kept = [record.metadata["item"] for record in memory.admin.recent(3)]
    assert kept[:2] == [item, short]
    assert kept[2] == {"encrypted_content": "[REDACTED_KEY]", "note": "[REDACTED_KEY]"}


def test_our_own_secrets_are_seeded_and_all_redacted() -> None:
    made = sensitive.make_secrets(7)
    assert made == sensitive.make_secrets(7) != sensitive.make_secrets(8)
    for one in made:
        assert all(
            one.text[slice(*span)] not in redact(one.text, Policy()).text for _, span in one.spans
        )
