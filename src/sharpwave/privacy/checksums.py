"""Check digits: what tells a card or personal number from any other number."""

_D = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    (1, 2, 3, 4, 0, 6, 7, 8, 9, 5),
    (2, 3, 4, 0, 1, 7, 8, 9, 5, 6),
    (3, 4, 0, 1, 2, 8, 9, 5, 6, 7),
    (4, 0, 1, 2, 3, 9, 5, 6, 7, 8),
    (5, 9, 8, 7, 6, 0, 4, 3, 2, 1),
    (6, 5, 9, 8, 7, 1, 0, 4, 3, 2),
    (7, 6, 5, 9, 8, 2, 1, 0, 4, 3),
    (8, 7, 6, 5, 9, 3, 2, 1, 0, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
)
_P = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    (1, 5, 7, 6, 2, 8, 3, 0, 9, 4),
    (5, 8, 0, 3, 7, 9, 6, 1, 4, 2),
    (8, 9, 1, 6, 0, 4, 3, 5, 2, 7),
    (9, 4, 5, 3, 1, 2, 6, 8, 7, 0),
    (4, 2, 8, 6, 5, 7, 3, 9, 0, 1),
    (2, 7, 9, 3, 8, 0, 6, 4, 1, 5),
    (7, 0, 4, 6, 9, 1, 3, 2, 5, 8),
)
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


def luhn(digits: str) -> bool:
    """Cards and Canadian SINs: from the right, every second digit counts double.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    values = [int(digit) for digit in reversed(digits)]
    return (sum(values[::2]) + sum(_DOUBLED[value] for value in values[1::2])) % 10 == 0


def mod97(code: str) -> int:
    """The remainder that must be 1 for an IBAN, with its first four characters at the end.

    >>> mod97("GB82WEST12345698765432")
    1
    """
    moved = code[4:] + code[:4]
    return int("".join(str(int(character, 36)) for character in moved)) % 97


def verhoeff(digits: str) -> bool:
    """Aadhaar numbers of India.

    >>> verhoeff("2363"), verhoeff("2364")
    (True, False)
    """
    check = 0
    for place, digit in enumerate(reversed(digits)):
        check = _D[check][_P[place % 8][int(digit)]]
    return check == 0


def weighted(digits: str, weights: tuple[int, ...]) -> int:
    """Sum of each digit times its weight.

    >>> weighted("123", (3, 2, 1))
    10
    """
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def cpf(digits: str) -> bool:
    """Brazil: two check digits; all digits alike is not a number that is given out.

    >>> cpf("52998224725"), cpf("52998224724"), cpf("11111111111")
    (True, False, False)
    """
    if len(set(digits)) == 1:
        return False
    first = weighted(digits[:9], (10, 9, 8, 7, 6, 5, 4, 3, 2)) * 10 % 11 % 10
    second = weighted(digits[:10], (11, 10, 9, 8, 7, 6, 5, 4, 3, 2)) * 10 % 11 % 10
    return digits[9:] == f"{first}{second}"


def spanish(code: str) -> bool:
    """Spain: eight digits (NIE: X, Y or Z and seven) and a letter.

    >>> spanish("12345678Z"), spanish("X1234567L"), spanish("12345678A")
    (True, True, False)
    """
    number = code[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == code[-1]


def pesel(digits: str) -> bool:
    """Poland: eleven digits that begin with a date.

    >>> pesel("44051401359"), pesel("44051401358")
    (True, False)
    """
    total = weighted(digits[:10], (1, 3, 7, 9, 1, 3, 7, 9, 1, 3))
    return (10 - total % 10) % 10 == int(digits[10])


def dutch(digits: str) -> bool:
    """The Netherlands: the eleven test of a BSN.

    >>> dutch("111222333"), dutch("111222334")
    (True, False)
    """
    return weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def german_tax(digits: str) -> bool:
    """Germany: the tax number of a person (ISO 7064, mod 11, 10).

    >>> german_tax("86095742719"), german_tax("86095742718")
    (True, False)
    """
    product = 10
    for digit in digits[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return digits[0] != "0" and (11 - product) % 10 == int(digits[10])


def french(digits: str) -> bool:
    """France: a NIR, whose last two digits are 97 less the rest mod 97.

    >>> french("255081416802538"), french("255081416802539")
    (True, False)
    """
    return 97 - int(digits[:13]) % 97 == int(digits[13:])


def routing(digits: str) -> bool:
    """US banks: the ABA routing number.

    >>> routing("021000021"), routing("021000022")
    (True, False)
    """
    return weighted(digits, (3, 7, 1, 3, 7, 1, 3, 7, 1)) % 10 == 0
