"""Keys of shared nulls: equal for equal nulls, different if anything they depend on differs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bychance.seeding import stream_key
from tests.engine.nulls import NullKey
from tests.nulls.cache_cases import make_key

CHANGES = {
    "measure": {"measure": "mic_e"},
    "setting": {"settings": (("exponent", "0.5"),)},
    "name of a setting": {"settings": (("clumps", "0.6"),)},
    "another setting": {"settings": (("exponent", "0.6"), ("clumps", "15"))},
    "n": {"n": 61},
    "ties in x": {"x_tie_groups": (30, 30)},
    "ties in y": {"y_tie_groups": (30, 30)},
    "order of the ties": {"x_tie_groups": (20, 40)},
    "other order of the ties": {"x_tie_groups": (40, 20)},
    "seed": {"seed": 8},
    "kernel": {"kernel_version": 2},
}


def test_anything_that_the_null_depends_on_changes_the_digest():
    digests = {make_key(**change).digest for change in CHANGES.values()}

    assert len(digests | {make_key().digest}) == len(CHANGES) + 1


texts = st.text(max_size=3)
keys = st.builds(
    NullKey,
    measure=texts,
    settings=st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
    n=st.integers(0, 3),
    x_tie_groups=st.lists(st.integers(1, 12), max_size=3).map(tuple),
    y_tie_groups=st.lists(st.integers(1, 12), max_size=3).map(tuple),
    seed=st.integers(0, 2),
    kernel_version=st.integers(0, 2),
)


@given(keys, keys)
@example(make_key(settings=(("a", "b, c"),)), make_key(settings=(("a, b", "c"),)))
@example(make_key(measure="mic", settings=(("a", "b"),)), make_key(measure="mica", settings=(("", "b"),)))
@example(make_key(n=6, x_tie_groups=(1, 23)), make_key(n=6, x_tie_groups=(12, 3)))
@example(make_key(x_tie_groups=(30, 30)), make_key(y_tie_groups=(30, 30)))
def test_digests_are_equal_exactly_where_keys_are(first, second):
    """Lengths and separators inside names cannot make two keys run together."""
    assert (first.digest == second.digest) == (first == second)


def test_the_random_stream_is_named_by_the_same_words_as_the_file():
    key = make_key(x_tie_groups=(20, 40))

    assert key.stream == stream_key(key.seed, *key.parts)
    assert key.digest == "".join(f"{word:016x}" for word in key.stream)


def test_digest_is_the_same_in_every_release():
    """Stored streams must be found in later releases. A change here throws every stored null away."""
    assert make_key(x_tie_groups=(20, 40)).digest == "1d198eb0404a2c9dcdd4b6fa0aa59f73"


def test_order_of_settings_does_not_matter():
    settings = (("clumps", "15"), ("exponent", "0.6"))

    assert make_key(settings=settings).digest == make_key(settings=settings[::-1]).digest


def test_groups_of_one_are_no_ties():
    assert make_key(x_tie_groups=(1,) * 60) == make_key()
    assert not make_key(y_tie_groups=(1,) * 60).y_tie_groups
    assert make_key(y_tie_groups=(2,) + (1,) * 58).y_tie_groups


def test_numpy_integers_name_the_same_null_as_plain_ones():
    plain = make_key(x_tie_groups=(20, 40))
    counted = make_key(n=np.int64(60), seed=np.uint32(7), x_tie_groups=tuple(np.array([20, 40])))

    assert counted.digest == plain.digest
    assert all(type(size) is int for size in counted.x_tie_groups)


def test_a_key_cannot_be_changed():
    with pytest.raises(AttributeError):
        make_key().n = 3
