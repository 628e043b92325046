"""rANS weights, decoded from docs/rans.md: whole numbers of Python, one stream after the other."""

from dataclasses import dataclass

import numpy as np

LOWER = 1 << 23
SLOTS = 1 << 12
DAMAGED_SYMBOL = 255


class Damaged(Exception):
    """A tile that is not sound, and why."""


@dataclass
class Layer:
    """The buffers of a matrix [rows, columns], cut in tiles; `checksums` may be None."""

    freq: np.ndarray
    stream_offset: np.ndarray
    n_symbols: np.ndarray
    data: np.ndarray
    checksums: np.ndarray | None
    rows: int
    columns: int
    tile_rows: int
    tile_columns: int


def tiles(layer):
    """The places of all tiles, as pairs of slices, row by row, clipped at the edges."""
    for top in range(0, layer.rows, layer.tile_rows):
        for left in range(0, layer.columns, layer.tile_columns):
            yield (
                slice(top, min(top + layer.tile_rows, layer.rows)),
                slice(left, min(left + layer.tile_columns, layer.columns)),
            )


def fnv1a(symbols):
    """FNV-1a of 32 bits, a byte for each symbol."""
    value = 0x811C9DC5
    for symbol in symbols:
        value = (value ^ symbol) * 0x01000193 & 0xFFFFFFFF
    return value


def decode_stream(coded, symbol_of_slot, starts, freq, count):
    """`count` symbols of one stream of bytes; raises Damaged unless it ends where an encoder begins."""
    if len(coded) < 4:
        raise Damaged("a stream has no start state")
    state = int.from_bytes(coded[:4], "little")
    if state < LOWER:
        raise Damaged("a start state is below 2^23")
    follow = iter(coded[4:])
    symbols = []
    for _ in range(count):
        blocks, slot = divmod(state, SLOTS)
        symbol = symbol_of_slot[slot]
        symbols.append(symbol)
        state = freq[symbol] * blocks + slot - starts[symbol]
        while state < LOWER:
            byte = next(follow, None)
            if byte is None:
                raise Damaged("a stream is too short")
            state = state << 8 | byte
    if state != LOWER or next(follow, None) is not None:
        raise Damaged("a stream does not end at 2^23 with its last byte")
    return symbols


def decode_tile(layer, tile, height, width, bounds):
    """The symbols [height, width] of one tile; raises Damaged. A stream lies between its entry of `bounds`
    and the next."""
    freq = [int(f) for f in layer.freq[tile]]
    if sum(freq) != SLOTS:
        raise Damaged("frequencies do not sum to 4096")
    if layer.n_symbols[tile] != height * width:
        raise Damaged("another count of symbols")
    symbol_of_slot = [symbol for symbol, f in enumerate(freq) for _ in range(f)]
    starts = [sum(freq[:symbol]) for symbol in range(16)]
    flat = np.zeros(height * width, np.uint8)
    streams = layer.stream_offset.shape[1]
    for stream in range(streams):
        begin, end = bounds[tile * streams + stream : tile * streams + stream + 2]
        if not begin <= end <= layer.data.size:
            raise Damaged("a stream does not lie within the data")
        own = flat[stream::streams]
        own[:] = decode_stream(layer.data[begin:end].tobytes(), symbol_of_slot, starts, freq, own.size)
        if layer.checksums is not None and fnv1a(own.tolist()) != layer.checksums[tile, stream]:
            raise Damaged("a checksum differs")
    return flat.reshape(height, width)


def decode(layer):
    """Symbols uint8 [rows, columns], 255 in damaged tiles, and for each tile why it is damaged, or None."""
    bounds = [int(offset) for offset in layer.stream_offset.ravel()] + [layer.data.size]
    symbols = np.full((layer.rows, layer.columns), DAMAGED_SYMBOL, np.uint8)
    faults = []
    for tile, place in enumerate(tiles(layer)):
        try:
            symbols[place] = decode_tile(layer, tile, *symbols[place].shape, bounds)
            faults.append(None)
        except Damaged as fault:
            faults.append(str(fault))
    return symbols, faults
