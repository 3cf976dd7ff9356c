"""Numbers and addresses with a form: what is found, and what only looks like it."""

import pytest

from evals.sensitive import find_sensitive as find
from sharpwave.types.privacy import CLASS_OF, LABEL_OF, Sensitive, SensitiveClass
from sharpwave.types.statements import Span

STRUCTURED = (
    SensitiveClass.SECRET,
    SensitiveClass.FINANCIAL,
    SensitiveClass.GOVERNMENT_ID,
    SensitiveClass.CONTACT,
    SensitiveClass.NETWORK,
)

# The value stands between « and ».
FOUND = [
    ("card", "my card is «4111 1111 1111 1111», thanks"),
    ("card", "«5500-0000-0000-0004» expires 12/27"),
    ("card", "amex «3782 822463 10005»"),
    ("card", "charge «378282246310005» please"),
    ("card", "diners «30569309025904»"),
    ("card", "JCB «3530111333300000» ok"),
    ("card", "4111111111111112 no, «4111111111111111»:12/26"),
    ("card", "4111 1111 1111 1112 is wrong, it is «4012 8888 8888 1881»"),
    ("card", "Maestro card «630427373398»"),
    ("cvv", "cvv «123»"),
    ("cvv", "the CVC code on the back is «9876»"),
    ("iban", "pay to «DE89 3704 0044 0532 0130 00» today"),
    ("iban", "«gb82west12345698765432»"),
    ("iban", "NO: «NO93 8601 1117 947», not mine"),
    ("bank_account", "my account number is «12345678»"),
    ("bank_account", "routing number «021000021»"),
    ("ssn", "SSN «536-90-4399»"),
    ("ssn", "my social is «536904399»"),
    ("ssn", "it is «536 90 4399» I think"),
    ("national_id", "CPF «529.982.247-25»"),
    ("national_id", "NI number «AB 12 34 56 C»"),
    ("national_id", "mi DNI es «12345678Z»"),
    ("national_id", "NIE «X1234567L»"),
    ("national_id", "PESEL «44051401359»"),
    ("national_id", "BSN: «111222333»"),
    ("national_id", "my SIN is «046 454 286»"),
    ("national_id", "numéro «2 55 08 14 168 025 38» ici"),
    ("national_id", "Steuer-ID «86095742719»"),
    ("national_id", "aadhaar «2341 2341 2346»"),
    ("passport", "passport number «X1234567»"),
    ("licence", "my driver's license is «D1234567»"),
    ("email", "write to «ana.b+news@mail.example.co.uk»."),
    ("email", "<«josé@exämple.de»>"),
    ("phone", "call «+41 (0)96 471 07 95» now"),
    ("phone", "«+447700 921 916»"),
    ("phone", "US: «+1-604-696-5272x565»"),
    ("phone", "I'm at «(602)272-9781» today"),
    ("phone", "«212-555-0147»"),
    ("phone", "«212.555.0147» ext"),
    ("phone", "ring «07700 063 966»"),
    ("phone", "«03.93.92.16.85»"),
    ("phone", "phone: «9498777106»"),
    ("phone", "call me on «467 3395»"),
    ("phone", "«9472 7916»-Fax"),
    ("phone", "«001-253-366-9781»"),
    ("ip", "from «192.168.10.24»,"),
    ("ip", "ping «8.8.8.8» works"),
    ("ip", "host «2001:db8::8a2e:370:7334» is up"),
    ("ip", "ssh to «fe80::1ff:fe23:4567:890a»"),
    ("mac", "«00:1a:2B:3c:4D:5e»"),
    ("url", "see «https://example.com/a?b=c#d»."),
    ("url", "see (<«https://en.example.org/wiki/A_(b)»>)"),
    ("url", "on «www.example.se/» now"),
    ("url", "my site is «blog.example.co.uk/about»!"),
    ("url", "buy it at «example.com»"),
]

NOT_FOUND = [
    "order number 1234567890 was sent",
    "invoice #4539578763621487 is not a card here",  # fails Luhn
    "tracking 123456789012 arrived",
    "it costs $1,234,567.89 or 1 234 567 euros",
    "on 2024-05-06 12:30:45, or 06/05/2024, or 6.5.2024",
    "from 1939-1945 and 2019/2023",
    "version 10.2.3.4 and v1.2.3.4, section 2.3.1.1",
    "127.0.0.1 and ::1 are this machine",
    "ISBN 978-3-16-148410-0 and ISSN 2049-3630",
    "it broke in 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "request 123e4567-e89b-12d3-a456-426614174000 failed",
    "the population was 83 200 000 people",
    "12:30:45 was the time, 3:2 the score, std::vector<int> the type",
    "numbers 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
    "GB82WEST12345698765431 is no IBAN",
    "666-12-3456, 000-12-3456 and 123-00-4567 are no SSNs",
    "ana@home and @ana and a @ b are no addresses",
    "I went home.So did she.It rained e.g. yesterday",
    "open main.py, index.html, node.js and logging.info(x)",
    "Mann v Paterson (2019) 373 ALR 1",
    "at 15:36:04.0000000 he scored",
    "52.5200, 13.4050 and 01 53.4415 14.5554",
    "call me at 7 or at 8:30 on 14 May 2026",
    "0000000000 and 1111111",
]


def split(marked: str) -> tuple[str, Span]:
    before, rest = marked.split("«")
    value, after = rest.split("»")
    return before + value + after, Span(len(before), len(before) + len(value))


@pytest.mark.parametrize(("kind", "marked"), FOUND)
def test_found(kind: str, marked: str) -> None:
    text, span = split(marked)
    found = [(one.kind.value, text[slice(*one.span)]) for one in find(text, STRUCTURED)]
    assert found == [(kind, text[slice(*span)])]


@pytest.mark.parametrize("text", NOT_FOUND)
def test_not_found(text: str) -> None:
    assert find(text, STRUCTURED) == []


def test_findings_are_in_order_and_apart() -> None:
    text = "ana@example.com, +1 212 555 0147, 4111111111111111, 10.1.2.3"
    found = find(text)
    assert [one.kind.value for one in found] == ["email", "phone", "card", "ip"]


def test_numbers_that_stand_side_by_side() -> None:
    text = "212-555-0147 646-555-0199 536-90-4399 4111 1111 1111 1111 536-90-4398"
    found = [one.kind.value for one in find(text)]
    assert found == ["phone", "phone", "ssn", "card", "ssn"]


def test_every_type_has_a_class_and_a_label() -> None:
    assert set(CLASS_OF) == set(LABEL_OF) == set(Sensitive)
    assert len(set(LABEL_OF.values())) == len(Sensitive)


@pytest.mark.parametrize(
    ("kind", "marked"),
    [
        ("person", "this is Dr. «Maria Lopes» speaking"),
        ("person", "my name is «Tintin Forsberg»"),
        ("person", "I met «Anna»'s mother"),
        ("place", "we moved here from «New Zealand»"),
        ("address", "I live at «12 Baker Street»"),
        ("address", "she lives at «Hauptstraße 12»"),
        ("zip", "zip code «94110»"),
        ("zip", "it was «SW1A 1AA»"),
        ("health", "I was diagnosed with «type 2 diabetes»"),
    ],
)
def test_names_places_and_health_by_modest_rules(kind: str, marked: str) -> None:
    text, span = split(marked)
    assert (kind, span) in [(one.kind.value, one.span) for one in find(text)]
