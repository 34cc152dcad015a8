"""Damage that keeps to the structure of a file: of JSON, of XML, of lines of fields; or of any bytes."""

import json
import re
from random import Random

ODD = [
    "", " ", "0", "-1", "1e3", "1e400", "nan", "inf", "-Infinity", "9" * 30, "2147483648", "9223372036854775808", "1_0",
    "0x10", "٣", "é", "e\u0301", "\ufeff", "\x00", "\x85", "a#0-5", "a#9-2", "a#0-99999999999", "/article[1]", "../..",
    "file:///dev/zero", "True", "null", "[", "]]", "{}", "'", '"', "&x;", "&#0;", "<x>", "]]>", "%s", "{0}", "\\ud800",
    "1:2", "12:3 4:5", "99.99", "word " * 40,
]  # fmt: skip
ODD_VALUES = [
    None,
    True,
    False,
    -1,
    1.5,
    2**31,
    2**63,
    10**30,
    1e308,
    float("nan"),
    float("inf"),
    [],
    {},
    [None],
    {"a": 1},
]
LARGE = 200_000  # characters that a piece is repeated to, at most
DEEP = 3_000


def damage(data: bytes, suffix: str, random: Random) -> bytes:
    """Return the bytes of a file, damaged once to three times in ways that fit its *suffix*."""
    for _ in range(random.randint(1, 3)):
        change = CHANGES.get(suffix, damage_bytes)
        data = (change if random.random() < 0.8 else damage_bytes)(data, random)
    return data


def damage_bytes(data: bytes, random: Random) -> bytes:
    """Cut, flip, overwrite or repeat some bytes."""
    start = random.randrange(len(data) + 1)
    end = min(len(data), start + random.choice((0, 1, 1, 8, 40, 400)))
    piece = data[start:end]
    new = random.choice((
        b"", piece * 2, piece * many(len(piece), random), random.randbytes(len(piece)), b"\xff" * len(piece),
        bytes(byte ^ 1 << random.randrange(8) for byte in piece), random.choice(ODD).encode(), piece[::-1],
    ))  # fmt: skip
    return data[:start] if random.random() < 0.05 else data[:start] + new + data[end:]


def damage_json(data: bytes, random: Random) -> bytes:
    """Change one value of one line of JSON (or of all of it): its type, its place, how often or how deep it stands."""
    lines = data.split(b"\n") if data.count(b"\n{") or (data.startswith(b"{") and data.count(b"\n") == 1) else [data]
    number = random.randrange(len(lines))
    try:
        value = json.loads(lines[number])
    except (ValueError, RecursionError):
        return damage_bytes(data, random)
    places = list(walk(value))
    if not places:
        return damage_bytes(data, random)
    parent, key = random.choice(places)
    depth = 0
    action = random.choice(("odd", "odd", "other", "gone", "again", "deep", "renamed"))
    if action == "odd":
        parent[key] = random.choice((random.choice(ODD_VALUES), random.choice(ODD)))
    elif action == "other":
        other, name = random.choice(places)
        parent[key] = json.loads(json.dumps(other[name]))
    elif action == "gone":
        del parent[key]
    elif action == "again" and isinstance(parent, list):
        parent[key:key] = [parent[key]] * many(len(json.dumps(parent[key])), random)
    elif action == "again":
        parent[key] = [parent[key]] * many(len(json.dumps(parent[key])), random)
    elif action == "deep":
        depth, parent[key] = random.choice((1, 2, DEEP)), "@nested@"
    elif isinstance(parent, dict):
        parent[random.choice(ODD)] = parent.pop(key)
    text = json.dumps(value, ensure_ascii=random.random() < 0.5)
    text = text.replace('"@nested@"', random.choice(("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth)))
    lines[number] = text.encode("utf-8", "surrogatepass")
    return b"\n".join(lines)


def walk(value):
    """Yield (list or object, place in it) of every value inside a value of JSON."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield value, key
        yield from walk(item)


def damage_xml(data: bytes, random: Random) -> bytes:
    """Drop, repeat, swap, wrap or rename tags, change texts and attributes."""
    tokens = re.findall(r"<[^>]*>|[^<]+", data.decode("utf-8", "replace"))
    if not tokens:
        return damage_bytes(data, random)
    place = random.randrange(len(tokens))
    token = tokens[place]
    values = re.findall(r"[\w.:/\[\]-]+", token)
    tokens[place : place + 1] = random.choice((
        [], [token, token], [token] * many(len(token), random), [random.choice(tokens)], [random.choice(ODD)],
        [token.replace(random.choice(values), random.choice(ODD), 1) if values else ""],
        ["<b>" * DEEP, token, "</b>" * DEEP], ["<!--", token, "-->"], ["<![CDATA[", token, "]]>"],
    ))  # fmt: skip
    return "".join(tokens).encode()


def damage_lines(data: bytes, random: Random) -> bytes:
    """Change, drop, swap or repeat fields of a line, or whole lines."""
    lines = data.decode("utf-8", "replace").split("\n")
    place = random.randrange(len(lines))
    fields = re.split(r"([ \t,|:;]+)", lines[place])
    field = random.randrange(len(fields))
    if random.random() < 0.7:
        fields[field : field + 1] = random.choice((
            [], [random.choice(ODD)], [fields[field]] * 2, [fields[field], " "] * many(len(fields[field]) + 1, random),
            [random.choice(fields)], [f'"{fields[field]}'], [fields[field], random.choice("\t ,\r\x0b\u2028")],
        ))  # fmt: skip
        lines[place] = "".join(fields)
    else:
        line = lines[place]
        lines[place : place + 1] = random.choice(([], [line] * 2, [line] * many(len(line), random), [line, "", "\r"]))
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def many(size: int, random: Random) -> int:
    """Return how often something of a *size* is repeated: a few times, or until it is large."""
    return random.choice((3, 3, 20, LARGE // max(size, 1)))


CHANGES = {
    ".json": damage_json, ".jsonl": damage_json, ".ndjson": damage_json,
    ".xml": damage_xml, ".html": damage_xml,
    ".txt": damage_lines, ".csv": damage_lines, ".tsv": damage_lines, ".ann": damage_lines,
}  # fmt: skip
