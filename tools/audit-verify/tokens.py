"""ID tokens of issuers that sign in place of a key."""
import base64
import hashlib
import json
import re

from export_json import Broken, at, items, no_number, number, text_at, want

LONGEST = 8 * 1024
DEEPEST = 100
SKEW = 60
COMPACT = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)")
HEADER = {"alg", "kid", "typ", "x5t", "x5t#S256"}
# Of each kind of key its algorithm, curve, members, and the algorithm identifier of its SPKI.
KINDS = {
    "RSA": ("RS256", None, ("n", "e"), "300d06092a864886f70d0101010500"),
    "EC": ("ES256", "P-256", ("x", "y"), "301306072a8648ce3d020106082a8648ce3d030107"),
    "OKP": ("EdDSA", "Ed25519", ("x",), "300506032b6570"),
}


def unbase64url(text):
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (ValueError, TypeError) as error:
        raise Broken("no base64url") from error
    want(base64.urlsafe_b64encode(raw).decode().rstrip("=") == text, "another spelling of base64url")
    return raw


def der(tag, *parts):
    body = b"".join(parts)
    size = len(body)
    length = size.to_bytes((size.bit_length() + 7) // 8 or 1, "big")
    return bytes([tag]) + (bytes([size]) if size < 128 else bytes([128 | len(length)]) + length) + body


def der_integer(raw):
    """A positive number: no zeros before it but one that keeps its sign."""
    short = raw.lstrip(b"\0")
    return der(2, b"\0" + short if short[:1] >= b"\x80" or short == b"" else short)


class IssuerKey:
    """A public JWK of a policy."""

    def __init__(self, jwk):
        kind = KINDS.get(text_at(jwk, "kty"))
        want(kind is not None, "a key of an unknown kind")
        self.algorithm, curve, members, identifier = kind
        given = {"kid", "kty", *members, *(["crv"] if curve else [])}
        want(given <= set(jwk) <= given | {"alg", "use", "key_ops"}, "no public key")
        want(jwk.get("alg", self.algorithm) == self.algorithm and at(jwk, "crv") == curve, "a key for something else")
        self.kid = text_at(jwk, "kid")
        parts = [unbase64url(jwk[name]) for name in members]
        if self.algorithm == "RS256":
            want(len(parts[0]) >= 256, "a short RSA key")
            point = der(0x30, *map(der_integer, parts))
        else:
            want(all(len(part) == 32 for part in parts), "no point of its curve")
            point = (b"\x04" if self.algorithm == "ES256" else b"") + b"".join(parts)
        self.spki = der(0x30, bytes.fromhex(identifier), der(3, b"\0" + point))

    def as_openssl(self, signature):
        """ES256 is the two numbers side by side; openssl wants them in DER."""
        if self.algorithm != "ES256":
            return signature
        want(len(signature) == 64, "no signature of its curve")
        return der(0x30, der_integer(signature[:32]), der_integer(signature[32:]))


class Issuer:
    def __init__(self, written):
        self.name = text_at(written, "issuer")
        self.audience = items(at(written, "audience"))
        keys = [IssuerKey(jwk) for jwk in items(at(written, "keys"))]
        self.keys = {key.kid: key for key in keys}
        want(len(self.keys) == len(keys), "one kid is given twice")


def once(pairs):
    want(len(dict(pairs)) == len(pairs), "a member is given twice")
    return dict(pairs)


def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


def members_of(part):
    """The object that a part of a token is."""
    try:
        text = unbase64url(part).decode("utf-8")
        value = json.loads(text, parse_float=number, parse_constant=no_number, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise Broken("no JSON") from error
    want(isinstance(value, dict) and depth(value) <= DEEPEST, "no object")
    return value


def whole(value):
    want(type(value) is int and abs(value) < 2**53, "no time")
    return value


def issued_at(issuer, subject, message, carried, verify):
    """When the token was made that signs this message for the subject of the issuer."""
    want(len(carried) <= LONGEST, "a token that is too long")
    parts = COMPACT.fullmatch(carried.decode("latin-1"))
    want(parts is not None, "no token")
    header, claims = members_of(parts[1]), members_of(parts[2])
    want(set(header) <= HEADER and header.get("typ", "JWT") == "JWT", "a header that says more")
    key = issuer.keys.get(text_at(header, "kid"))
    want(key is not None, "the key of its token is not in the policy")
    want(header.get("alg") == key.algorithm, "another algorithm than that of its key")
    signed, signature = f"{parts[1]}.{parts[2]}".encode(), key.as_openssl(unbase64url(parts[3]))
    digest = None if key.algorithm == "EdDSA" else "sha256"
    want(verify(key.spki, signed, signature, digest), "its token is not signed by its issuer")
    want(claims.get("iss") == issuer.name and claims.get("sub") == subject, "a token of another issuer or subject")
    check_audience(issuer, claims, "ccm-migrate:" + hashlib.sha256(message).hexdigest())
    want(whole(claims.get("exp")) > whole(claims.get("iat")), "a token that ended before it was made")
    return claims["iat"]


def check_audience(issuer, claims, wanted):
    audience, nonce = claims.get("aud"), claims.get("nonce", "")
    if isinstance(audience, list) and len(audience) == 1:
        audience = audience[0]
    want(isinstance(audience, str) and isinstance(nonce, str), "no audience")
    is_named = audience == wanted or (nonce == wanted and audience in issuer.audience)
    want(is_named, "its token is for another statement")


def check_time(issued, statement):
    in_time = whole(statement["notBefore"]) - SKEW <= issued <= whole(statement["notAfter"])
    want(in_time, "its token was made outside the time of the statement")
