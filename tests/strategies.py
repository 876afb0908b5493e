"""What Hypothesis draws: pairs of samples, tied and untied, and pairs of labelings."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st


@st.composite
def numeric_pairs(draw, min_size=4, max_size=40, tied=False):
    """Two samples of one length, neither constant."""
    n = draw(st.integers(min_size, max_size))
    values = st.integers(0, 4) if tied else st.floats(-1e6, 1e6, allow_nan=False, width=32)
    samples = []
    for _ in range(2):
        sample = draw(st.lists(values, min_size=n, max_size=n).filter(lambda v: len(set(v)) > 1))
        samples.append(np.array(sample, dtype=float))
    return tuple(samples)


@st.composite
def labelings(draw, n_labels=4, min_size=3, max_size=60, constant=True):
    """Two labelings of one length."""
    n = draw(st.integers(min_size, max_size))
    labels = st.lists(st.integers(0, n_labels - 1), min_size=n, max_size=n)
    if not constant:
        labels = labels.filter(lambda v: len(set(v)) > 1)
    return np.array(draw(labels)), np.array(draw(labels))


def has_distances(*samples):
    """Whether U-centered distances exist: more than one row apart from all others."""
    return all(len(set(sorted(sample)[1:-1])) > 1 for sample in samples)
