"""Changes to JSON that leave it JSON, so that what is said is changed, not how it is written."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

from fuzz.readers import JSON_PARTS, PARTS

__all__ = ["ODD_VALUES", "change_case", "change_json"]

#: What nobody expects.
ODD_VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    7,
    10**6,
    2**63,
    10**400,
    -0.5,
    1e308,
    1e-308,
    "",
    "x",
    "\ud800",
    "\n<script>",
    [],
    [[]],
    [1, "x", None],
    {},
    {"x": {}},
]

Mutate = Callable[[bytes], bytes]


def change_json(text: bytes, chance: random.Random) -> bytes | None:
    """Return JSON with one or two odd values in it, None if the text is no JSON, or too deep."""
    try:
        whole = {"": json.loads(text)}
        _change(whole, chance)
        return json.dumps(whole.get("")).encode()
    except (ValueError, RecursionError):
        return None


def _change(whole: dict[str, Any], chance: random.Random) -> None:
    for _ in range(chance.randint(1, 2)):
        holder, key = _any_place(whole, chance)
        how = chance.random()
        if how < 0.7 and isinstance(holder[key], int | float) and chance.random() < 0.6:
            # Another one of the same kind, which may still fit.
            holder[key] = type(holder[key])(chance.randint(-2, 25))
        elif how < 0.7:
            holder[key] = copy.deepcopy(chance.choice(ODD_VALUES))
        elif how < 0.8 and key != "":
            del holder[key]
        elif how < 0.9:
            depth = chance.choice([3, 25, 300])
            for _ in range(depth):
                holder[key] = [holder[key]] if chance.random() < 0.5 else {"x": holder[key]}
        else:
            donor, other = _any_place(whole, chance)
            holder[key] = copy.deepcopy(donor[other])


def _any_place(whole: dict[str, Any], chance: random.Random) -> tuple[Any, Any]:
    """Return an object or list, and a key in it; each depth is as likely as the others."""
    holder: Any = whole
    key: Any = ""
    while chance.random() < 0.8:
        inner = holder[key]
        if not isinstance(inner, dict | list) or not inner:
            break
        holder = inner
        key = (
            chance.choice(list(inner)) if isinstance(inner, dict) else chance.randrange(len(inner))
        )
    return holder, key


def change_case(name: str, content: bytes, mutate: Mutate, chance: random.Random) -> bytes:
    """Change a case for a reader: what it says where it is JSON, or its bytes."""
    changed: bytes | None = None
    if chance.random() < 0.8 and content:
        if name == "run" and content[0] % len(PARTS) in JSON_PARTS:
            changed = change_json(content[1:], chance)
            changed = changed and content[:1] + changed
        elif name == "checkpoint":
            text, zero, bits = content.partition(b"\0")
            changed = change_json(text, chance)
            changed = changed and changed + zero + bits
    return changed or mutate(content)
