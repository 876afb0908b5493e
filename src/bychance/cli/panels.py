"""Options that belong together: one dataclass per panel of the help, which several verbs can share.

Its `title` heads the panel, and its fields are the options, each `Annotated` by one of the functions below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

import typer

__all__ = ["column", "one_of", "option", "with_panels"]


def option(help_text: str, *flags: str, **more: Any) -> Any:
    """An option of the panel."""
    return typer.Option(*flags, help=help_text, **more)


def column(help_text: str) -> Any:
    """An option that names a column."""
    return option(help_text, metavar="COLUMN")


def one_of(help_text: str, offered: Callable[[str], list[str]] | None = None) -> Any:
    """An option that names one of several things; `offered` are those that a shell completes."""
    return option(help_text, metavar="NAME", autocompletion=offered)


def with_panels(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb as Typer takes it: in place of each parameter that is a panel, the options of that panel."""
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
