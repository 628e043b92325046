"""The content hash of a golden file: XXH3 of 128 bits over the whole file, its own 32 digits taken as '0'."""

import json

import xxhash

DIGITS = 32


def hash_of(content, stated):
    """The 32 hexadecimal digits that the bytes of a file should state where they state `stated`."""
    field = b'"content_hash":' + json.dumps(stated).encode()
    at = content.find(field)
    if at < 0:
        raise ValueError("metadata content_hash: does not stand in the header as written")
    first = at + len(field) - 1 - DIGITS
    return xxhash.xxh3_128_hexdigest(content[:first] + b"0" * DIGITS + content[first + DIGITS :])


def judge(name, content, metadata):
    """Objections to a file's bytes. Format 1 has no hash."""
    if metadata.get("format") == "1":
        return []
    stated = metadata.get("content_hash", "")
    if len(stated) != DIGITS:
        return [f"{name}: metadata content_hash: is {stated!r}, not {DIGITS} digits"]
    right = hash_of(content, stated)
    return [] if right == stated else [f"{name}: metadata content_hash: is {stated}, and {right} is right"]
