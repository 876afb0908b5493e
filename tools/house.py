"""The house in figures: tokens and files of src/, names, words of docstrings, and the paths of real calls.

    python -m tools.house [--write]

prints them beside those of docs/house.json and says which are worse. `--write` records them there. Size is
counted in tokens of code, so that joining files or squeezing lines changes nothing. All recorded figures are
counts of which fewer is better.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "docs" / "house.json"
HOW_TO_RECORD = "If an issue asks for what costs this, record it in the same commit: make house WRITE=1"

Figures = dict[str, dict[str, int]]
"""Counts by name, in groups."""

_CODE = {".py", ".cpp", ".hpp", ".inl", ".cu", ".cuh", ".js", ".css", ".html", ".jinja"}
_C_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*|<!--.*?-->", flags=re.DOTALL)
_C_TOKEN = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\d[\w.']*|[^\s\w]")
_LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
_SMALL = 100  # lines below which a module with one importer belongs into it
LONG = 20  # words from which on a first line is long
OPENERS = tuple(
    f"{opener} "
    for opener in (
        *("What", "Whether", "How", "Which", "Why", "That", "Those", "The same"),
        *("Of", "By", "Where", "As", "So"),
    )
)
_VERBS = frozenset(Path(__file__).with_name("verbs.txt").read_text(encoding="utf-8").split())


def measure() -> Figures:
    """Return all recorded figures of the checkout."""
    files = sources()
    python = [path for path in files if path.suffix == ".py"]
    return {
        "tokens": {**folder_tokens(files), "all of src": sum(map(tokens, files))},
        "files": {"all of src": len(files)},
        "first lines of functions": habits(python),
        "names": names(python),
        "doors": {
            f"modules of fewer than {_SMALL} lines with one importer": len(small_with_one_importer(python))
        },
        "calls between files": links_of_calls(),
    }


def sources() -> list[Path]:
    """Return the files of code below src/."""
    return sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in _CODE)


def folder_tokens(files: Sequence[Path]) -> dict[str, int]:
    """Sum tokens by package, with those of its own packages."""
    sums: Counter[str] = Counter()
    for path in files:
        parts = path.relative_to(ROOT).parts
        sums["/".join(parts[: 3 if len(parts) > 3 else 2])] += tokens(path)
    return dict(sorted(sums.items()))


@cache
def tokens(path: Path) -> int:
    """Count tokens of code: no comments, docstrings, imports or `__all__`."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return len(_C_TOKEN.findall(_C_COMMENT.sub(" ", text)))
    skipped: set[int] = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import | ast.ImportFrom) or (
            isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "__all__" for t in node.targets)
        ):
            skipped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    n = depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind in ("FSTRING_END", "TSTRING_END"):
            depth -= 1
        # Python 3.12 and later take f-strings apart: each counts once, by its end.
        n += depth == 0 and token.type not in _LAYOUT and token.start[0] not in skipped and not _opens(kind)
        depth += _opens(kind)
    return n - sum(1 for _ in docstrings(path))


def _opens(kind: str) -> bool:
    return kind in ("FSTRING_START", "TSTRING_START")


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (kind of node, first line) for each docstring of a module."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = {ast.unparse(d).split(".")[-1] for d in getattr(node, "decorator_list", ())}
            kind = "Property" if decorators & {"property", "cached_property"} else type(node).__name__
            if text := ast.get_docstring(node):
                yield kind, text.split("\n")[0]


def habits(files: Sequence[Path]) -> dict[str, int]:
    """Count habits to avoid among the first lines of functions."""
    lines = first_lines(files)
    return {
        "without a verb first": sum(not is_verb_first(line) for line in lines),
        "a pronoun or clause first": sum(line.startswith(OPENERS) for line in lines),
        "with a semicolon": sum(";" in line for line in lines),
        "with a where": sum(" where " in line for line in lines),
        f"of more than {LONG} words": sum(len(line.split()) > LONG for line in lines),
    }


def first_lines(files: Sequence[Path]) -> list[str]:
    """Return the first lines of the docstrings of functions, but not of properties."""
    return [line for path in files for kind, line in docstrings(path) if "Function" in kind]


def is_verb_first(line: str) -> bool:
    """Return True if a line seems to start with a verb in the imperative."""
    word = re.match(r"([A-Za-z]+) (?!of\b)", line)
    return word is not None and word[1].lower() in _VERBS


def names(files: Sequence[Path]) -> dict[str, int]:
    """Count names that stand for several things."""
    modules = Counter(path.stem for path in files if not path.stem.startswith("__"))
    classes = Counter(
        node.name for path in files for node in ast.walk(_tree(path)) if isinstance(node, ast.ClassDef)
    )
    return {
        "of three modules or more": sum(n > 2 for n in modules.values()),
        "of two classes or more": sum(n > 1 for n in classes.values()),
    }


def small_with_one_importer(files: Sequence[Path]) -> list[str]:
    """Return small modules that only one other module imports."""
    module_of = {path: ".".join(path.relative_to(ROOT / "src").with_suffix("").parts) for path in files}
    importers = defaultdict(set)
    for path, module in module_of.items():
        for name in _imported(path):
            importers[name].add(module)
    return sorted(
        module
        for path, module in module_of.items()
        if path.stem != "__init__" and len(importers[module]) == 1 and _n_lines(path) < _SMALL
    )


def _imported(path: Path) -> Iterator[str]:
    """Yield what a module imports, and each name of a `from` import as if it were a module."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def links_of_calls() -> dict[str, int]:
    """Count pairs of files of which one calls the other, for each call of tools/paths.py.

    They are counted in a new process, in which nothing else is loaded.
    """
    run = subprocess.run([sys.executable, "-m", "tools.paths"], cwd=ROOT, capture_output=True, check=True)
    return {name: path["links"] for name, path in json.loads(run.stdout).items()}


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _n_lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def worse(found: Figures, recorded: Figures) -> list[str]:
    """Say which figures are worse than recorded, and by how much. One that is not recorded counts as 0."""
    return [
        f"{group}, {name}: {n:,} instead of {limit:,}, {n - limit:,} more"
        for group, figures in found.items()
        for name, n in figures.items()
        if n > (limit := recorded.get(group, {}).get(name, 0))
    ]


def read_record() -> Figures:
    recorded: Figures = json.loads(RECORD.read_text(encoding="utf-8"))
    return recorded


def print_figures(found: Figures, recorded: Figures) -> None:
    """Print every figure, and its distance from the recorded one if they differ."""
    for group, figures in found.items():
        print(group)
        for name, n in figures.items():
            change = n - recorded.get(group, {}).get(name, 0)
            print(f"  {name:44}{n:9,}{f'  ({change:+,})' if change else ''}")
    lines = first_lines([path for path in sources() if path.suffix == ".py"])
    print(f"verb first: {sum(map(is_verb_first, lines)) / len(lines):.1%} of {len(lines):,} first lines")


def main(arguments: list[str]) -> int:
    """Print the figures, and record them or return 1 if one is worse than recorded."""
    parser = argparse.ArgumentParser(prog="python -m tools.house", description="The house in figures.")
    parser.add_argument("--write", action="store_true", help=f"record them in {RECORD.relative_to(ROOT)}")
    found = measure()
    if parser.parse_args(arguments).write:
        RECORD.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    recorded = read_record()
    print_figures(found, recorded)
    faults = worse(found, recorded)
    if faults:
        print("\nworse than recorded", *faults, HOW_TO_RECORD, sep="\n  ")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
