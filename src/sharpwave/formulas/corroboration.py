"""Who may enter the profile: trust is structural, not a matter of words."""

from collections.abc import Collection

from sharpwave.types.records import Source, Trust


def may_enter_profile(
    trust: Trust, sources: Collection[tuple[Source, str]], independent: int
) -> bool:
    """True for the user's own word, a verified source, or enough independent ones.

        trust >= verified, or min(|distinct sources|, |distinct authors|) >= independent

    `sources` are the source and author of each record that supports the statement. Two texts of the
    same tool, or of one author by two ways, are one source.

    >>> may_enter_profile(Trust.UNTRUSTED, [(Source.WEB, "a"), (Source.WEB, "b")], independent=2)
    False
    >>> may_enter_profile(Trust.UNTRUSTED, [(Source.WEB, "a"), (Source.TOOL, "b")], independent=2)
    True
    """
    if trust >= Trust.VERIFIED:
        return True
    ways = {source for source, _ in sources}
    authors = {author for _, author in sources}
    return min(len(ways), len(authors)) >= independent
