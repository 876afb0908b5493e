"""Tables, each with something that sums over batches could get wrong."""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa

from bychance.datasets import make_demo

N = 700


def tables_to_stream():
    """Return Arrow tables by name, of about 700 rows."""
    rng = np.random.default_rng(20)
    x, y, z = rng.normal(size=(3, N))
    few, many = rng.integers(0, 4, N), rng.integers(0, 60, N)
    word = np.array(["lo", "mid", "hi", "top"])

    def some(values, share=0.1):
        return pa.array(values, mask=rng.random(len(values)) < share)

    day = np.datetime64("2001-03-04") + rng.integers(0, 9000, N)
    stamp = np.datetime64("2001-03-04T05:06:07", "us") + rng.integers(0, 10**15, N)
    one = np.arange(N) == 17
    hashes = rng.integers(-(2**63), 2**63 - 1, N, endpoint=True)
    unsigned = rng.integers(0, 2**64 - 1, N, dtype=np.uint64, endpoint=True)
    return {
        "demo": pa.table(make_demo()),
        "numbers": pa.table({"x": x, "y": x + y, "z": z}),
        "missing": pa.table({"x": some(x), "y": some(x + 2 * y), "z": some(z, 0.4)}),
        "mostly missing": pa.table({"x": some(x, 0.8), "y": some(x + y, 0.7), "z": z}),
        "mixed": pa.table({"x": x, "few": word[few], "y": x + few, "many": [f"m{k}" for k in many]}),
        "mixed missing": pa.table({"x": some(x), "few": some(word[few]), "y": some(x + few)}),
        "categorical": pa.table({"a": word[few], "b": word[(few + (z > 0)) % 4], "c": word[many % 3]}),
        "categorical missing": pa.table({"a": some(word[few]), "b": some(word[(few + (z > 1)) % 4])}),
        "flags": pa.table({"a": z > 0, "b": z + x > 0, "x": x, "c": some(x > 1)}),
        "constant": pa.table({"x": x, "one": np.ones(N), "same": ["a"] * N, "y": y}),
        "nearly constant": pa.table({"x": x, "rare": one.astype(float), "y": x + y}),
        "dates": pa.table({"day": day, "x": x + (day.astype(int) - 11000) / 5000, "when": stamp}),
        "dates missing": pa.table({"day": some(day), "x": x, "at": [datetime.time(k % 24) for k in many]}),
        "large integers": pa.table({"id": 2**60 + rng.integers(0, 10**6, N), "x": x, "u": many + 2**55}),
        "hashes": pa.table({"h": hashes, "x": hashes / 2**63 + x, "u": unsigned, "y": unsigned / 2**64 + y}),
        "hashes missing": pa.table({"h": some(hashes), "x": hashes / 2**63 + x, "u": some(unsigned)}),
        "extremes": pa.table(
            {
                "h": hashes - hashes % 2**61,
                "ends": np.where(x > 0, 2**63 - 1, -(2**63)),
                "u": np.uint64(2**64 - 1) - np.uint64(2**61) * (2 * few + (y > 0)).astype(np.uint64),
                "x": x + y,
            }
        ),
        "shifted": pa.table({"x": 1e9 + x, "y": 1e9 + x + y, "z": -1e12 + z}),
        "heavy tails": pa.table({"x": np.exp(3 * x), "y": np.exp(3 * x + y), "z": z}),
        "tiny and huge": pa.table({"x": 1e-30 * x, "y": 1e30 * (x + y), "z": some(z)}),
        "counts": pa.table({"a": few, "b": few + many, "c": (many > 50).astype(np.int8)}),
        "one category": pa.table(
            {"country": ["US"] * N, "a": word[few], "b": some(word[many % 3]), "x": x, "t": few > 5}
        ),
        "no shared rows": pa.table(
            {
                "a": pa.array(word[few], mask=few < 2),
                "b": pa.array(word[many % 3], mask=few >= 2),
                "x": pa.array(x, mask=few < 2),
            }
        ),
        "categories": pa.table(
            {"a": pa.array(word[few]).dictionary_encode(), "x": x + few, "b": word[many % 4]}
        ),
        "text": pa.table({"x": [f"{v:.3f}" for v in x], "y": [f"{v:.2f}" for v in x + y], "a": word[few]}),
    }
