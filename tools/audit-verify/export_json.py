"""JSON as exports write it: canonical texts, digests, and members of values that may be anything."""
import base64
import hashlib
import json
import re
import unicodedata
from decimal import Decimal

UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
EXPONENT = re.compile(r"\de[-+]\d")


class Broken(Exception):
    """What an export says cannot be, with the reason."""


def want(condition, why):
    if not condition:
        raise Broken(why)


def no_number(text):
    raise Broken(f"the number {text}")


def number(text):
    read = float(text)
    return int(read) if read.is_integer() and abs(read) < 2**53 else read


def parse(text):
    try:
        return json.loads(text, parse_float=number, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        raise Broken("no JSON") from error


def utf16(text):
    return text.encode("utf-16-be", "surrogatepass")


def canonical(value):
    """As JSON.stringify of ECMAScript writes it, members in the order of their UTF-16 code units."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    is_alike = (text.isascii() or max(text) < "\ud800") and EXPONENT.search(text) is None
    return text if is_alike else spelled(value)


def spelled(value):
    """The same where Python sorts, escapes or writes numbers in another way."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{spelled(name)}:{spelled(value[name])}" for name in sorted(value, key=utf16)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(spelled, value)) + "]"
    text = json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and "e" in text:
        mantissa, exponent = text.split("e")
        plain = -7 < int(exponent) < 21
        return format(Decimal(text), "f") if plain else f"{mantissa}e{int(exponent):+d}"
    return re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", text)


def digest(text):
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def digest_of(value):
    return digest(canonical(value))


def at(value, *path):
    """A member of a member; None where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def text_at(value, *path):
    found = at(value, *path)
    return found if isinstance(found, str) else ""


def items(value):
    return value if isinstance(value, list) else []


def unbase64(text):
    try:
        raw = base64.b64decode(text, validate=True)
    except (ValueError, TypeError) as error:
        raise Broken("no base64") from error
    want(base64.b64encode(raw).decode() == text, "another spelling of base64")
    return raw


def escaped(character):
    if character == "\n" or unicodedata.category(character) not in UNSEEN:
        return character
    units = utf16(character)
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def written(document):
    text = json.dumps(document, ensure_ascii=False, indent=2)
    return ("".join(map(escaped, text)) if not (text.isascii() and "\x7f" not in text) else text) + "\n"
