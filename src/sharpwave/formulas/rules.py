"""Behavior rules: where a scope holds, and when an unconfirmed rule is pruned."""

GLOBAL = "global"
HERE = ("project", "file")
"""The current project or file, when its name is not known."""


def holds_in(scope: str, place: str | None) -> bool:
    """True if what holds in a scope holds at a place.

    A place is a path: `shop` a project, `shop/cart.py` a file in it. Without a place, global rules
    and those of the current project hold.

    >>> holds_in("global", "shop"), holds_in("shop", "shop/cart.py"), holds_in("shop", "blog")
    (True, True, False)
    >>> holds_in("project", None), holds_in("shop", None)
    (True, False)
    """
    if scope == GLOBAL or scope == place:
        return True
    if place is None or place == GLOBAL:
        return scope in HERE
    return place.startswith(scope + "/")


def width(scope: str) -> int:
    """Depth of a scope: 0 global, 1 a project, more for what lies in it.

    >>> [width(scope) for scope in ("global", "project", "shop", "shop/src/cart.py", "file")]
    [0, 1, 1, 3, 2]
    """
    if scope == GLOBAL:
        return 0
    return 2 if scope == HERE[1] else 1 + scope.count("/")


def is_stale(frequency: int, age_days: float, prune_days: float) -> bool:
    """True for a rule observed once and older than `prune_days` [BEH-11].

        stale = frequency ≤ 1 and age > prune_days

    >>> is_stale(1, 91.0, prune_days=90.0), is_stale(2, 1000.0, prune_days=90.0)
    (True, False)
    """
    return frequency <= 1 and age_days > prune_days
