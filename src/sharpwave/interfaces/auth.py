"""From a bearer key to a `Principal`: our own keys, and tokens of an identity provider.

authenticator = Authenticator(memory.admin.keys, settings.server)
principal = authenticator.admit("Bearer sw_…")  # Unauthorized if it opens nothing
require(principal, Scope.WRITE)                 # Forbidden if the key does not allow it
"""

from dataclasses import replace
from pathlib import Path
from typing import Any
from unicodedata import normalize

from sharpwave import strict_json
from sharpwave.api.keys import PREFIX, Keys
from sharpwave.errors import Forbidden, InvalidSettings, ProviderUnavailable, Unauthorized
from sharpwave.settings.server import OidcSettings, ServerSettings
from sharpwave.types.access import APART, Principal, Scope

_MAX_HEADER_CHARS = 8192


class Authenticator:
    """Finds the principal of a request. Thread-safe."""

    def __init__(self, keys: Keys, settings: ServerSettings) -> None:
        self._keys = keys
        self._tokens = TokenVerifier(settings.oidc) if settings.oidc.issuer else None

    def admit(self, authorization: str | None) -> Principal:
        """Who sends this `Authorization` header; a key is looked up each time."""
        if authorization is None:
            raise Unauthorized("send a key: Authorization: Bearer sw_…")
        kind, _, secret = authorization.partition(" ")
        if kind.lower() != "bearer" or not secret.strip() or len(secret) > _MAX_HEADER_CHARS:
            raise Unauthorized("send the key as: Authorization: Bearer sw_…")
        secret = secret.strip()
        if secret.startswith(PREFIX) or self._tokens is None:
            return self._keys.principal(secret)
        return self._tokens.principal(secret)


def require(principal: Principal, scope: Scope) -> None:
    """Refuse what the key does not allow."""
    if not principal.may(scope):
        raise Forbidden(f"this key does not allow {scope.value}; make one with that scope")


def acting_for(principal: Principal, user: str | None) -> Principal:
    """The principal acting as another user; only for admins."""
    if user is None or user == principal.user_id:
        return principal
    if not principal.may(Scope.ADMIN):
        raise Forbidden("only a key with the scope admin may act for another user")
    return replace(principal, user_id=user)


_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]
"""Signatures by a private key only: with HMAC, a holder of the checking key could make tokens."""
JWKS_CACHE_S = 300.0
"""How long the provider's keys are trusted until they are fetched again."""
JWKS_TIMEOUT_S = 5.0
_LEEWAY_S = 30.0
"""How far the clocks of provider and server may be apart."""
_PREFIX = "sharpwave:"
BY_TOKEN = "oidc:"
"""Prefix of the key name of a token's principal; the user follows."""


class TokenVerifier:
    """Checks tokens against the provider's public keys."""

    def __init__(self, settings: OidcSettings) -> None:
        try:
            import jwt  # noqa: PLC0415 - an optional extra
        except ImportError as error:
            raise InvalidSettings("OIDC needs `pip install sharpwave[server]`") from error
        self._jwt = jwt
        self._settings = settings
        if settings.audience is None:
            raise InvalidSettings("server.oidc.audience: say for whom tokens must be meant")
        if settings.jwks is None:
            raise InvalidSettings("server.oidc.jwks: name the file or the URL of the public keys")
        self._keys: Any
        if settings.jwks.startswith(("https://", "http://")):
            self._keys = jwt.PyJWKClient(
                settings.jwks, lifespan=JWKS_CACHE_S, timeout=JWKS_TIMEOUT_S
            )
        else:
            self._keys = _JwksFile(jwt, Path(settings.jwks))

    def principal(self, token: str) -> Principal:
        """The principal of a token; Unauthorized if it is not valid.

        ProviderUnavailable if the provider's keys cannot be fetched.
        """
        try:
            key = self._keys.get_signing_key_from_jwt(token)
            claims = self._jwt.decode(
                token,
                key,
                algorithms=_ALGORITHMS,
                audience=self._settings.audience,
                issuer=self._settings.issuer,
                leeway=_LEEWAY_S,
                options={"require": ["exp", "iss", "aud", self._settings.user_claim]},
            )
        except self._jwt.PyJWKClientConnectionError as error:
            raise ProviderUnavailable(
                "the identity provider's keys could not be read; try again later"
            ) from error
        except (self._jwt.PyJWTError, ValueError, TypeError) as error:
            raise Unauthorized(f"this token opens nothing: {type(error).__name__}") from None
        user = claims[self._settings.user_claim]
        if not isinstance(user, str) or not user or APART in user:
            raise Unauthorized("this token names no user")
        user = normalize("NFC", user)
        scopes = _scopes(claims.get(self._settings.scope_claim))
        return Principal(user, scopes, f"{BY_TOKEN}{user}")


class _JwksFile:
    def __init__(self, jwt: Any, file: Path) -> None:
        self._jwt = jwt
        try:
            found = strict_json.loads(file.read_text("utf-8"))
            self._keys = {key.key_id: key for key in jwt.PyJWKSet.from_dict(found).keys}
        except (OSError, ValueError, jwt.PyJWTError) as error:
            raise InvalidSettings(f"server.oidc.jwks: {error}") from error

    def get_signing_key_from_jwt(self, token: str) -> Any:
        named = self._jwt.get_unverified_header(token).get("kid")
        if named not in self._keys:
            raise self._jwt.InvalidTokenError("it is signed by an unknown key")
        return self._keys[named]


def _scopes(claim: object) -> frozenset[Scope]:
    """Only scopes with our prefix: `admin` of another application is ignored."""
    words = claim.split() if isinstance(claim, str) else claim
    named = words if isinstance(words, list) else []
    return frozenset(scope for scope in Scope if _PREFIX + scope.value in named)
