"""The house in figures: none is worse than docs/house.json records, and the counts count what they say."""

from __future__ import annotations

import pytest

from tools import house, paths


@pytest.mark.slow
def test_no_figure_is_worse_than_recorded():
    faults = house.worse(house.measure(), house.read_record())

    assert not faults, "\n".join(["worse than docs/house.json records:", *faults, house.HOW_TO_RECORD])


def test_a_worse_figure_is_named_with_its_distance_from_the_record():
    recorded = {"tokens": {"src/a": 1_000, "src/b": 50}}
    found = {"tokens": {"src/a": 1_234, "src/b": 40, "src/c": 7}}

    assert house.worse(found, recorded) == [
        "tokens, src/a: 1,234 instead of 1,000, 234 more",
        "tokens, src/c: 7 instead of 0, 7 more",
    ]


def test_layout_imports_and_words_are_no_tokens_of_code(tmp_path):
    bare, wordy = tmp_path / "bare.py", tmp_path / "wordy.py"
    code = 'return g(f"{x} is {x!r}")\n'
    bare.write_text(f"def f(x):\n    {code}")
    head = '"""A module."""\n\nimport os\nfrom a import (\n    b,\n    g,\n)\n\n__all__ = ["f"]\n\n\n'
    wordy.write_text(
        f'{head}def f(\n    x\n):\n    """Return a word.\n\n    More.\n    """\n    # why\n    {code}'
    )

    assert house.tokens(bare) == house.tokens(wordy) == 11


def test_comments_of_kernels_are_no_tokens(tmp_path):
    kernel = tmp_path / "a.cpp"
    kernel.write_text('// why\nint a = 1; /* one\ntwo */ call("a", a);\n')

    assert house.tokens(kernel) == 5 + 7


def test_habits_are_counted_in_first_lines_of_functions(tmp_path):
    path = tmp_path / "a.py"
    lines = ["Return it.", "Those of no rows; none.", "Rank of a value.", "None where it is missing."]
    path.write_text("\n".join(f'def f{k}():\n    """{line}"""' for k, line in enumerate(lines)))

    assert list(house.habits([path]).values()) == [3, 1, 1, 1, 0]


def test_files_functions_depth_and_links_are_counted(monkeypatch):
    monkeypatch.setattr(paths, "HOME", __file__)

    def inner():
        return sorted([2, 1], key=lambda value: value)

    def outer():
        return inner(), [inner() for _ in range(3)]

    assert paths.count(outer) == paths.PathCount(files=1, functions=2, depth=2, links=0)
    assert paths.count(lambda: None) == paths.PathCount(files=0, functions=0, depth=0, links=0)


def test_a_call_from_one_file_to_another_is_a_link(tmp_path, monkeypatch):
    (tmp_path / "first_of_two.py").write_text(
        "import second_of_two\ndef f():\n    return second_of_two.g(g)\ndef g():\n    return 1\n"
    )
    (tmp_path / "second_of_two.py").write_text(
        "def g(back):\n    return max([1], key=lambda value: back())\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(paths, "HOME", str(tmp_path))
    import first_of_two

    assert paths.count(first_of_two.f) == paths.PathCount(files=2, functions=3, depth=3, links=2)
