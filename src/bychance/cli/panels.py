"""Groups of command-line options (panels of the help) as dataclasses that several commands can share.

Its `title` heads the panel, and its fields are the options, each `Annotated` by one of the functions below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, cleandoc, signature
from textwrap import wrap
from typing import Any, ClassVar, get_type_hints

import typer
from typer.core import TyperCommand

__all__ = ["TYPED", "ShortHelp", "column", "one_of", "option", "with_panels"]


TYPED = "bychance.typed"
"""Key of a context's `meta` for the words behind the command, as they were typed."""


def option(help_text: str, *flags: str, **more: Any) -> Any:
    """Create a Typer option for a field of a panel."""
    return typer.Option(*flags, help=help_text, **more)


def column(help_text: str) -> Any:
    """Create a Typer option whose value is a column name."""
    return option(help_text, metavar="COLUMN")


def one_of(help_text: str, offered: Callable[[str], list[str]] | None = None) -> Any:
    """Create a Typer option for a name, from its help text. A shell completes it by `offered`."""
    return option(help_text, metavar="NAME", autocompletion=offered)


def with_panels(verb: Callable[..., None]) -> Callable[..., None]:
    """Replace each dataclass of options in a command's signature by single options, as Typer requires."""
    hints = get_type_hints(verb, include_extras=True)
    panels: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[Parameter] = []
    for name, parameter in signature(verb).parameters.items():
        own = parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY)
        parameters += _options_of(panels[name]) if name in panels else [own]

    @wraps(verb)
    def run(**given: Any) -> None:
        for name, panel in panels.items():
            given[name] = panel(**{each.name: given.pop(each.name) for each in fields(panel)})
        verb(**given)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined] # typer reads it
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _options_of(panel: Any) -> list[Parameter]:
    hints, options = get_type_hints(panel, include_extras=True), []
    for each in fields(panel):
        hint = hints[each.name]
        hint.__metadata__[0].rich_help_panel = panel.title
        default = each.default if each.default_factory is MISSING else each.default_factory()
        options.append(Parameter(each.name, Parameter.KEYWORD_ONLY, default=default, annotation=hint))
    return options


class ShortHelp(TyperCommand):
    """Command whose help begins with the most used options, in one or two lines each."""

    most_used: ClassVar[tuple[str, ...]] = ()
    named_by_others: ClassVar[tuple[str, ...]] = ()  # options that the text of another one names
    on_request: ClassVar[tuple[str, ...]] = ()  # options that `--help reading` shows

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, or show the help."""
        if "--help" not in args:
            ctx.meta[TYPED] = tuple(args)
            return super().parse_args(ctx, args)
        is_on_request = args[args.index("--help") + 1 :][:1] == [_ON_REQUEST]
        typer.echo("\n".join(self._of_reading() if is_on_request else self._of_most(ctx)))
        raise typer.Exit

    def _of_most(self, ctx: Any) -> list[str]:
        first, *text = cleandoc(self.help or "").splitlines()
        file, options = self.params[0], {str(each.name): each for each in self.params[1:]}
        elsewhere = (*self.most_used, *self.named_by_others, *self.on_request)
        return [
            f"Usage: {ctx.command_path} FILE... [OPTIONS]",
            *(first, *_entry("FILE...", getattr(file, "help", ""))),
            *("", "Most used"),
            *(line for name in self.most_used for line in _lines(options[name])),
            *("", "More"),
            *(line for name, each in options.items() if name not in elsewhere for line in _lines(each)),
            *_entry(f"--help {_ON_REQUEST}", "How FILE is read: kinds, missing values, dates, text."),
            *("", *(line for line in text if line.startswith("  "))),
        ]

    def _of_reading(self) -> list[str]:
        shown = [each for each in self.params if each.name in self.on_request]
        return ["How FILE is read", *(line for each in shown for line in _lines(each))]


_ON_REQUEST = "reading"
_WIDTH, _INDENT = 80, 24  # characters per line, and before the text of an option


def _lines(option: Any) -> list[str]:
    """Return the help lines of an option: its flags, text and default."""
    default = option.default[0] if isinstance(option.default, list) else option.default
    has_default = option.show_default and not option.is_flag and default is not None
    text = f"{option.help} [{default}]" if has_default else option.help
    return _entry("/".join((*option.opts, *option.secondary_opts)) + f" {option.metavar or ''}", text)


def _entry(name: str, text: str) -> list[str]:
    first, *more = wrap(text, _WIDTH - _INDENT)
    return [f"  {name.strip():{_INDENT - 3}} {first}", *(" " * _INDENT + line for line in more)]
