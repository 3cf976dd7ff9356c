"""What calls to a language model take: tokens when nobody counted them, and money."""

import math


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
