"""House words: first lines that name their object, short sentences, and phrases to read twice.

    python -m tools.words [FILE …]

By default, phrases are looked for in the pages and in docstrings, messages and comments of src/, first lines
in all Python files, and long sentences in the pages.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.house import LONG, OPENERS, is_verb_first

ROOT = Path(__file__).resolve().parent.parent
LONGEST_SENTENCE = 40  # words (examples/words.md asks for 30)
_COUNTED = (
    r"(?:one|two|three|\d(?:[\d,.]*\d)?|once|number|entry|entries|rows?|lines?|lists?|files?|bytes|pairs?|draws?|"
    r"permutations?|times|trees?|threads?|columns?|values?|points?|cells?|seconds?|floats?|integers?|figures?|"
    r"records?|numbers|minutes|hours|micro\w+|milli\w+|giga\w+|mega\w+|p-values?|seeds?|bars?|nulls?|categories|%)"
)
_UNITS = (
    r"(?:pair|core|row|column|file|block|kind|verb|side|variable|score|measure|forest|line|null|node|tree|set|"
    r"second|cell|category|class|label|level|item|chunk|thread|task|table|call|criterion|fold|split|group|"
    r"stratum|permutation|draw|test|process|value|record|point|layer|leaf|feature|repeat|piece|example|claim|size)"
)
PATTERNS = {
    rf"(?<!\bwhich\s)(?<!\bmany\s)\b{_COUNTED} an? {_UNITS}\b": 'distributive "a": write "per"',
    r"\bof (?:its|their|one's|our|his) own\b(?! (?:accord|right))": "say what is separate, or leave it out",
    r"\bgone on with\b|\bgoes on where\b|\bgo on with a stopped\b": 'write "resume"',
    r"\bfound out\b": 'write "detected", or "None means auto-detect"',
    r"\ba fault of (?:bychance|its own)\b": 'write "internal error"',
    r"\bnothing can be learned\b": 'write "degenerate null"',
    r"\b0 fine, 1 the data\b": 'write "0 success, 1 data error"',
    r"\bWho reads the number\b": 'write "The number alone does not tell you"',
    r"\bbefore anything is read\b": 'write "Columns to ignore"',
    r"\bwhat is missing is named\b": 'write "reports missing prerequisites"',
    r"\bwhere algebra serves\b": 'write "closed forms replace sampling where they exist"',
    r"\bnothing to share out\b": "say which bound does not exceed which mean",
    r"\bis its heirs'": 'write "subclasses implement"',
    r"\bcounted in: never\b": "give the formula",
    r"\bthe best so many\b": "name the option that counts them",
    r"\bit takes the less\b": 'write "faster when"',
}
# A phrase may be broken across lines.
_COMPILED = {
    re.compile(pattern.replace(" ", r"\s+"), flags=re.IGNORECASE): reason
    for pattern, reason in PATTERNS.items()
}
_COMMENTS = {".py": "#", ".cpp": "//", ".hpp": "//", ".cu": "//", ".cuh": "//"}
_SOURCES = {*_COMMENTS, ".js", ".html"}
_FENCE = re.compile(r"^```.*?^```", flags=re.MULTILINE | re.DOTALL)


def faults(path: Path) -> Iterator[str]:
    """Yield the phrases in a page or in the strings of a module, each with its line and the reason."""
    for line, text in _texts(path):
        for pattern, reason in _COMPILED.items():
            for match in pattern.finditer(text):
                number = line + text.count("\n", 0, match.start())
                yield f"{path.relative_to(ROOT)}:{number}: {' '.join(match[0].split())!r}: {reason}"


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        # Code keeps its lines so that those of the text stay right.
        yield 1, _FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), source)
        return
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.lineno, node.value
    if path.suffix in _COMMENTS:
        yield 1, "\n".join(_comment(line, _COMMENTS[path.suffix]) for line in source.split("\n"))
    else:
        yield 1, source


def _comment(line: str, marker: str) -> str:
    """Return the comment in a line of code. A mark stands for code, so that comments around it stay apart."""
    code, found, comment = line.partition(marker)
    return f"{'|' if code.strip() else ''}{comment}" if found else "|"


def first_line_faults(path: Path) -> Iterator[str]:
    """Yield the first lines of docstrings that break a rule, each with its line and the rule."""
    where = path.relative_to(ROOT)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (
            text := ast.get_docstring(node)
        ):
            line = text.split("\n")[0]
            yield from (f"{where}:{node.body[0].lineno}: {line!r}: {rule}" for rule in _broken(node, line))


def _broken(node: ast.AST, line: str) -> Iterator[str]:
    """Yield the rules that a first line breaks. A test states what holds, and a property is a thing."""
    if isinstance(node, ast.FunctionDef) and not (_is_property(node) or node.name.startswith("test_")):
        if not is_verb_first(line):
            yield "start with a verb (tools/verbs.txt)"
    elif line.startswith(OPENERS):
        yield "name the object"
    if ";" in line:
        yield "one fact per sentence, no semicolon"
    if " where " in line:
        yield 'write "if"'
    if len(line.split()) > LONG:
        yield f"at most {LONG} words"


def _is_property(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(d).endswith(("property", "setter")) for d in function.decorator_list)


def long_sentences(page: Path) -> Iterator[str]:
    """Yield the sentences of a page that are too long."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    for block in re.split(r"\n\s*\n|\n(?=\s*[-*>|#:]|\s*\d+\.)", text):
        for part in re.split(r"(?<=[.!?:;])[\"')*]*\s+|\|", " ".join(block.split())):
            if (n := len(re.findall(r"\S*\w\S*", part))) > LONGEST_SENTENCE:
                yield f"{page.relative_to(ROOT)}: {n} words: {part!r}"


def all_texts() -> list[Path]:
    sources = [path for path in (ROOT / "src").rglob("*") if path.suffix in _SOURCES]
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *sources])


def main(arguments: list[str]) -> int:
    """Print all faults, and return 1 if there is any."""
    paths = [Path(argument).resolve() for argument in arguments]
    folders = ("src", "tests", "tools", "studies", "benchmarks", "reproduction")
    modules = [path for path in paths if path.suffix == ".py"]
    modules = modules or [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    found = [fault for path in paths or all_texts() for fault in faults(path)]
    found += [fault for path in modules for fault in first_line_faults(path)]
    found += [
        fault for path in paths or all_texts() if path.suffix == ".md" for fault in long_sentences(path)
    ]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
