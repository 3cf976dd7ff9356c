"""Which scopes hold at a place, and which of two is narrower: global, a project, a file in it."""

GLOBAL = "global"
HERE = ("project", "file")
"""The project or file at hand, where nobody named it."""


def holds_in(scope: str, place: str | None) -> bool:
    """True if what holds in a scope holds at a place.

    A place is a path: `shop` a project, `shop/cart.py` a file in it. Who does not say where it is
    gets what holds everywhere and what was said of the project at hand.

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
    """How narrow a scope is: 0 everywhere, 1 a project, more for what lies in it.

    >>> [width(scope) for scope in ("global", "project", "shop", "shop/src/cart.py", "file")]
    [0, 1, 1, 3, 2]
    """
    if scope == GLOBAL:
        return 0
    return 2 if scope == HERE[1] else 1 + scope.count("/")
