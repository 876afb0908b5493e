"""Markdown pages → what runs on them, in order: Python sessions and scripts, commands, and pictures.

    python -m tools.pages [PAGE …]

runs these pages (README.md and docs/ by default) and writes the pictures that they show. A page is one Python
session in a separate directory. A picture is the figure that the code before it left open. Each file holds
a digest of that code, so that a test can tell when it is out of date.
"""

from __future__ import annotations

import contextlib
import doctest
import hashlib
import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FLAGS = doctest.ELLIPSIS
_FENCE = re.compile(r"^```([\w{}:-]*).*$")
_PICTURE = re.compile(r"!\[[^\]]*\]\(([\w./-]*pictures/[\w-]+\.png)\)")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class Block:
    """A fenced block by its language, or a picture by its path, with its first line."""

    language: str
    text: str
    line: int


Save = Callable[[Path, str], None]
"""What to do with the open figure: the file that shows it, and the digest of the code that drew it."""


def all_pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks_of(text: str) -> Iterator[Block]:
    lines = enumerate(text.splitlines(), 1)
    for number, line in lines:
        if fence := _FENCE.match(line):
            inside = []
            for _, held in lines:
                if held.startswith("```"):
                    break
                inside.append(held)
            yield Block(fence[1], "\n".join(inside) + "\n", number)
        elif picture := _PICTURE.search(line):
            yield Block("picture", picture[1], number)


def run_page(page: Path, save: Save) -> list[str]:
    """Run a page in a new directory, with no figure open, and return its faults."""
    import matplotlib.pyplot as plt

    plt.close("all")
    previous = Path.cwd()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        try:
            return list(_faults(page, save))
        finally:
            os.chdir(previous)


def _faults(page: Path, save: Save) -> Iterator[str]:
    names: dict[str, Any] = {"__name__": page.stem}
    has_run = False
    blocks = [*blocks_of(page.read_text()), Block("", "", 0)]
    code = hashlib.sha256()
    for block, following in pairwise(blocks):
        has_run = has_run or block.language == "python"
        where = f"{page.name}:{block.line}"
        if block.language == "picture":
            is_drawn = _keep((page.parent / block.text).resolve(), code.hexdigest()[:16], save)
            if has_run and not is_drawn:
                yield f"{where}: the code before {block.text} left no figure open.\n"
        elif block.language == "python" and block.text.startswith(">>>"):
            code.update(block.text.encode())
            yield from _session(block, names, where)
        elif block.language == "python":
            code.update(block.text.encode())
            wanted = following.text if following.language == "text" else ""
            yield from _compared(where, wanted, _script(block, names, where))
        elif block.language == "console":
            for command, wanted in commands_of(block.text):
                shown = shown_by(command)
                yield from _compared(f"{where}, $ {command}", _without_empty_lines(wanted), shown)


def _session(block: Block, names: dict[str, Any], where: str) -> Iterator[str]:
    test = doctest.DocTestParser().get_doctest(block.text, names, where, where, block.line)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    if said:
        yield "".join(said)


def _script(block: Block, names: dict[str, Any], where: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(block.text, where, "exec"), names)
    return said.getvalue()


def commands_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a block, and its output."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def shown_by(command: str) -> str:
    """Run a command and return its output on a plain terminal, without colors and empty lines.

    On a slow machine a progress bar leaves an empty line behind.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1", "TERM": "dumb"}
    terminal, inside = pty.openpty()
    process = subprocess.Popen(
        command, shell=True, env=environment, stdin=subprocess.DEVNULL, stdout=inside, stderr=inside
    )
    os.close(inside)
    said = b""
    with contextlib.suppress(OSError), os.fdopen(terminal, "rb", buffering=0) as screen:
        while chunk := screen.read(65536):
            said += chunk
    process.wait()
    lines = _CONTROL.sub("", said.decode()).replace("\r\n", "\n").split("\n")
    return _without_empty_lines("\n".join(line.rpartition("\r")[2].rstrip() for line in lines))


def _without_empty_lines(text: str) -> str:
    return "".join(f"{line}\n" for line in text.splitlines() if line)


def _compared(where: str, wanted: str, got: str) -> Iterator[str]:
    if not doctest.OutputChecker().check_output(wanted, got, FLAGS):
        yield f"{where}\nExpected:\n{wanted}Got:\n{got}"


def _keep(path: Path, digest: str, save: Save) -> bool:
    """Hand over the open figure, and return True if there was one."""
    import matplotlib.pyplot as plt

    if not plt.get_fignums():
        return False
    save(path, digest)
    plt.close("all")
    return True


def write_picture(path: Path, digest: str) -> None:
    """Save the open figure as a small file."""
    import matplotlib.pyplot as plt
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    buffer, about = io.BytesIO(), PngInfo()
    plt.gcf().savefig(buffer, format="png", dpi=130)
    about.add_text("Source", digest)
    path.parent.mkdir(exist_ok=True)
    Image.open(buffer).convert("RGB").quantize(256).save(path, optimize=True, pnginfo=about)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e3:.0f} kB")


def digest_of(path: Path) -> str:
    """Return the digest of the code that drew a picture."""
    from PIL import Image

    with Image.open(path) as picture:
        return str(picture.info.get("Source", ""))


def main(arguments: list[str]) -> int:
    pages = [Path(argument).resolve() for argument in arguments] or all_pages()
    faults = [fault for page in pages for fault in run_page(page, write_picture)]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "agg"
    os.environ["BYCHANCE_CACHE"] = "off"
    sys.exit(main(sys.argv[1:]))
