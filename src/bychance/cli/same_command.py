"""Shell command that repeats a run, from the options that differ from their defaults."""

from __future__ import annotations

import shlex
from typing import Any

__all__ = ["command_line"]


def command_line(context: Any) -> str:
    """Return the command that repeats the run, quoted for a shell, without options at their defaults."""
    words = ["bychance", context.info_name]
    for parameter in context.command.params:
        value = context.params.get(parameter.name)
        if parameter.param_type_name == "argument":
            words += map(str, value if isinstance(value, list | tuple) else [value])
        elif value is not None and value != parameter.get_default(context):
            # Flags such as --no-header have a separate name for False.
            is_off = value is False and parameter.secondary_opts
            name = max(parameter.secondary_opts if is_off else parameter.opts, key=len)
            words += _option(name, value, is_flag=parameter.is_flag)
    return shlex.join(words)


def _option(name: str, value: Any, *, is_flag: bool) -> list[str]:
    if is_flag:
        return [name]
    values = value if isinstance(value, list | tuple) else [value]
    return [word for one in values for word in (name, str(one))]
