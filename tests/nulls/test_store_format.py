"""The format of stored samples: anyone can read it, damage never passes, nothing is ever unpickled."""

from __future__ import annotations

import ast
import hashlib
import json
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bychance.nulls import store, store_files, store_format, store_key
from bychance.nulls.store_format import DamagedFileError, decode, encode, read_header
from tests.nulls.store_cases import make_key, roots

KEY = make_key(x_tie_groups=(20, 40))


def checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=32, person=b"bychance-null").digest()


def test_a_file_can_be_read_by_its_description():
    """Oracle: the format as documented, parsed by hand."""
    content = encode(KEY, roots(0, 50))
    magic, version, n_header = struct.unpack("<8sII", content[:16])
    header = json.loads(content[16 : 16 + n_header])

    assert (magic, version) == (b"bcnull\r\n", 1)
    assert header == {
        "measure": "mic",
        "settings": [["exponent", "0.6"]],
        "n": 60,
        "is_tied": True,
        "seed": 7,
        "kernel_version": 1,
        "count": 50,
        "digest": KEY.digest,
    }
    np.testing.assert_array_equal(np.frombuffer(content[16 + n_header : -32], dtype="<f8"), roots(0, 50))
    assert content[-32:] == checksum(content[:-32])


@given(arrays(np.float64, st.integers(0, 40)), st.text(max_size=50))
def test_what_is_read_is_what_was_written(draws, measure):
    """To the last bit, whatever the draws and however long the header."""
    key = make_key(measure=measure)

    assert decode(encode(key, draws), key.digest).tobytes() == draws.tobytes()


@pytest.mark.parametrize("n_left", [0, 1, 15, 16, 47, 48, 300, -33, -8, -1])
def test_a_truncated_file_is_noticed(n_left):
    with pytest.raises(DamagedFileError):
        decode(encode(KEY, roots(0, 50))[:n_left], KEY.digest)


def test_a_checksum_of_next_to_nothing_is_no_file():
    with pytest.raises(DamagedFileError):
        decode(b"short" + checksum(b"short"), KEY.digest)


def test_a_longer_file_is_noticed():
    with pytest.raises(DamagedFileError):
        decode(encode(KEY, roots(0, 50)) + bytes(8), KEY.digest)


def test_a_flipped_bit_is_noticed_wherever_it_is():
    content = encode(KEY, roots(0, 3))

    for position in range(8 * len(content)):
        altered = bytearray(content)
        altered[position // 8] ^= 1 << position % 8
        with pytest.raises(DamagedFileError):
            decode(bytes(altered), KEY.digest)


def test_a_whole_file_under_the_name_of_another_null_is_noticed():
    with pytest.raises(DamagedFileError, match="another null"):
        decode(encode(KEY, roots(0, 50)), make_key(seed=8).digest)


def test_a_file_of_another_format_is_not_read_and_not_called_damaged(tmp_path):
    """Another release of ours wrote it, whole."""
    body = bytearray(encode(KEY, roots(0, 50))[:-32])
    body[8:12] = struct.pack("<I", 2)
    content = bytes(body) + checksum(bytes(body))
    (tmp_path / "file").write_bytes(content)

    assert decode(content, KEY.digest) is None
    assert read_header(tmp_path / "file") is None


@pytest.mark.parametrize("header", [b"null", b"{}", b'{"count": "3"}', b"{", b"\xff", b""])
def test_a_header_that_makes_no_sense_is_none(tmp_path, header):
    (tmp_path / "file").write_bytes(struct.pack("<8sII", b"bcnull\r\n", 1, len(header)) + header)

    assert read_header(tmp_path / "file") is None


@pytest.mark.parametrize("content", [b"", b"bcnull", bytes(100)])
def test_a_foreign_file_has_no_header(tmp_path, content):
    (tmp_path / "file").write_bytes(content)

    assert read_header(tmp_path / "file") is None


class Payload:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


def test_a_pickle_is_never_opened(tmp_path):
    content, trace = pickle.dumps(Payload(tmp_path / "trace")), tmp_path / "trace"
    with pytest.raises(DamagedFileError):
        decode(content, KEY.digest)
    assert decode(content + checksum(content), KEY.digest) is None
    assert not trace.exists()

    pickle.loads(content)
    assert trace.exists()  # it would have shown


@pytest.mark.parametrize("module", [store, store_files, store_format, store_key])
def test_the_store_has_no_way_to_pickle(module):
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}

    assert not imported & {"pickle", "marshal", "shelve", "joblib", "dill", "cloudpickle"}
    assert not called & {"load", "save"}  # np.load and np.save may pickle
