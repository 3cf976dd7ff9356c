"""What calls to a language model take: tokens when nobody counted them, and money."""

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
    """What one call is charged with: its tokens, and their `cost`.

    >>> one_call(2_000, 500, input_price=0.5, output_price=2.0)
    Spending(calls=1, input_tokens=2000, output_tokens=500, cost=0.002)
    """
    return Spending(1, sent, answered, cost(sent, answered, input_price, output_price))


def is_used_up(spent: Spending, calls: int, tokens: int, money: float | None) -> bool:
    """Whether a day's allowance for models is spent; without a cap on money only the rest counts.

        calls spent >= calls, or tokens spent >= tokens, or money spent >= money

    >>> is_used_up(Spending(3, 700, 200, 0.4), calls=10, tokens=1000, money=None)
    False
    >>> is_used_up(Spending(3, 700, 300, 0.4), calls=10, tokens=1000, money=None)
    True
    """
    costly = money is not None and spent.cost >= money
    return spent.calls >= calls or spent.input_tokens + spent.output_tokens >= tokens or costly
