"""JSON as exports write it: canonical texts, digests, and members of values that may be anything."""
import base64
import hashlib
import json
import re
import unicodedata
from decimal import Decimal

UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
EXPONENT = re.compile(r"\de[-+]\d")
# A member whose name ECMAScript takes for an index: such members come first, and rise.
INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
INDEX_LINE = re.compile(r'^ *"(?:0|[1-9][0-9]{0,9})": ', re.MULTILINE)
DEEPEST = 200


class Broken(Exception):
    """What an export says cannot be, with the reason."""


def want(condition, why):
    if not condition:
        raise Broken(why)


def no_number(text):
    raise Broken(f"the number {text}")


def number(text):
    read = float(text)
    want(abs(read) != float("inf"), "a number beyond all others")
    is_plain = read.is_integer() and abs(read) < 10**16
    return int(read) if is_plain else read


def parse(text):
    try:
        value = json.loads(text, parse_float=number, parse_int=number, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        raise Broken("no JSON") from error
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [each for part in level for each in (part.values() if isinstance(part, dict) else part if isinstance(part, list) else ())]
    want(not level, "JSON that is too deep")
    return value


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


def is_index(name):
    return INDEX.fullmatch(name) is not None and int(name) < 2**32 - 1


def ordered(value):
    """With members in the order of ECMAScript."""
    if isinstance(value, list):
        return [ordered(each) for each in value]
    if not isinstance(value, dict):
        return value
    names = [*sorted(filter(is_index, value), key=int), *(name for name in value if not is_index(name))]
    return {name: ordered(value[name]) for name in names}


def indented(value, margin="\n"):
    """As json.dumps writes it with an indent of two spaces, but numbers as ECMAScript does."""
    inner = margin + "  "
    if isinstance(value, dict) and value:
        members = (f"{inner}{json.dumps(name, ensure_ascii=False)}: {indented(each, inner)}" for name, each in value.items())
        return "{" + ",".join(members) + margin + "}"
    if isinstance(value, list) and value:
        return "[" + ",".join(inner + indented(each, inner) for each in value) + margin + "]"
    return spelled(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def written(document):
    text = json.dumps(document, ensure_ascii=False, indent=2)
    if INDEX_LINE.search(text):
        document = ordered(document)
        text = json.dumps(document, ensure_ascii=False, indent=2)
    # Perhaps only in a text, but those are written alike.
    if EXPONENT.search(text):
        text = indented(document)
    return ("".join(map(escaped, text)) if not (text.isascii() and "\x7f" not in text) else text) + "\n"
