"""What calls to a language model cost, and how long to wait before a retry."""

import math

from sharpwave.types.working import Spending


def estimated_tokens(utf8_bytes: int, bytes_per_token: float) -> int:
    """About how many tokens a text is, if the endpoint does not say.

        estimated_tokens = ⌈utf8_bytes / bytes_per_token⌉

    Bytes, not characters: scripts with longer encodings also take more tokens a character.

    >>> estimated_tokens(10, bytes_per_token=4.0)
    3
    """
    return math.ceil(utf8_bytes / bytes_per_token)


def cost(input_tokens: int, output_tokens: int, input_price: float, output_price: float) -> float:
    """What a call costs, in the currency of the prices, which are per million tokens.

        cost = (input_tokens input_price + output_tokens output_price) / 1,000,000

    >>> round(cost(2_000, 500, input_price=0.5, output_price=2.0), 6)
    0.002
    """
    return (input_tokens * input_price + output_tokens * output_price) / 1_000_000


def one_call(sent: int, answered: int, input_price: float, output_price: float) -> Spending:
    """Spending of one call: its tokens, and their `cost`.

    >>> one_call(2_000, 500, input_price=0.5, output_price=2.0)
    Spending(calls=1, input_tokens=2000, output_tokens=500, cost=0.002)
    """
    return Spending(1, sent, answered, cost(sent, answered, input_price, output_price))


def is_used_up(spent: Spending, calls: int, tokens: int, money: float | None) -> bool:
    """True if a day's budget for models is spent; `money` None means no cap on money.

        calls spent >= calls, or tokens spent >= tokens, or money spent >= money

    >>> is_used_up(Spending(3, 700, 200, 0.4), calls=10, tokens=1000, money=None)
    False
    >>> is_used_up(Spending(3, 700, 300, 0.4), calls=10, tokens=1000, money=None)
    True
    """
    costly = money is not None and spent.cost >= money
    return spent.calls >= calls or spent.input_tokens + spent.output_tokens >= tokens or costly


def backoff_s(failures: int, first_s: float, chance: float) -> float:
    """Seconds to wait before a retry, after `failures` in a row.

        backoff = first_s 2^(failures - 1) (1 + chance) / 2        chance in [0, 1)

    Twice as long each time; the chance spreads callers that failed at the same moment.

    >>> backoff_s(3, first_s=0.5, chance=0.5)
    1.5
    """
    return first_s * 2.0 ** (failures - 1) * (1.0 + chance) / 2.0
