"""Strategies for Hypothesis: pairs of samples, tied and untied, and pairs of labelings."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st


@st.composite
def numeric_pairs(draw, min_size=4, max_size=40, tied=False):
    """Draw two samples of one length, neither constant."""
    n = draw(st.integers(min_size, max_size))
    if tied:
        samples = _labels(n, 5).filter(_is_varied).map(lambda sample: sample.astype(float))
    else:
        values = st.floats(-1e6, 1e6, allow_nan=False, width=32)
        samples = st.lists(values, min_size=n, max_size=n).map(np.array).filter(_is_varied)
    return draw(samples), draw(samples)


@st.composite
def labelings(draw, n_labels=4, min_size=3, max_size=60, constant=True):
    """Draw two labelings of one length."""
    labels = _labels(draw(st.integers(min_size, max_size)), n_labels)
    if not constant:
        labels = labels.filter(_is_varied)
    return draw(labels), draw(labels)


def _labels(n, n_labels):
    """Draw labels from 0 on, one byte each. At once is ten times faster than one by one for 500."""
    return st.binary(min_size=n, max_size=n).map(
        lambda drawn: np.frombuffer(drawn, dtype=np.uint8).astype(np.int64) % n_labels
    )


def _is_varied(sample):
    return len(np.unique(sample)) > 1


def has_distances(*samples):
    """Return True if U-centered distances exist: more than one row apart from all others."""
    return all(len(set(sorted(sample)[1:-1])) > 1 for sample in samples)
