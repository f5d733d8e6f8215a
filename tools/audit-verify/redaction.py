"""What evidence keeps of a text: everything that looks like a credential is replaced, by the patterns of docs/contracts/audit-export.md."""
import re

REDACTED = "[redacted]"
# What ECMAScript takes for white space; Python has others.
SPACE = r"\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
SHAPES = [
    (r"-----BEGIN [^-]{1,64}-----[\s\S]*?(?:-----END [^-]{1,64}-----|\Z)", "", ""),
    (r"LS0tLS1CRUdJTi[A-Za-z0-9+/=_-]*", "", ""),
    (r"(?<![\w-])((?:(?!\beyJ)[\w-])*)\beyJ[\w-]{4,}\.[\w-]+(?:\.[\w-]*)?", "", ""),
    (rf"""(authorization["']?[{SPACE}]*[:=][{SPACE}]*["']?)(?:(?:basic|bearer)[{SPACE}]+)?[^{SPACE},"']+""", "i", ""),
    (rf"\b(bearer)[{SPACE}]+(?!\[redacted\])[\w.~+/=:-]+", "i", " "),
    (rf"\b([Bb]asic|BASIC)[{SPACE}]+(?=[\w+/]*[A-Z\d])[\w+/]+={{0,2}}", "", " "),
    (
        r"((?:token|password|passwd|secret|client-key-data|client-certificate-data|api-?key)"
        rf"""["']?[{SPACE}]*[:=][{SPACE}]*)(?!\[redacted\])("[^"]*"|'[^']*'|[^{SPACE},;&}}"']+)""",
        "i",
        "",
    ),
    (rf"(://)[^{SPACE}/@]+@", "", ""),
]
PATTERNS = [(re.compile(shape, re.ASCII | (re.IGNORECASE if flags else 0)), between) for shape, flags, between in SHAPES]


def units(text):
    """One character for each UTF-16 unit, because the patterns count those."""
    if text.isascii():
        return text
    raw = text.encode("utf-16-be", "surrogatepass")
    return "".join(chr(raw[i] << 8 | raw[i + 1]) for i in range(0, len(raw), 2))


def redacted(text):
    """The text as evidence has it, in UTF-16 units."""
    rest = units(text)
    for pattern, between in PATTERNS:
        kept = 1 if pattern.groups else 0
        after = "@" if pattern.pattern.endswith("@") else ""
        rest = pattern.sub(lambda found: (found[1] if kept else "") + between + REDACTED + after, rest)
    return rest
