"""What a shell may offer after Tab: names of measures, orders and nulls."""

from __future__ import annotations

from bychance.given.settings import CONTROLS, EFFECTS
from bychance.gpu.device import DEVICES
from bychance.named_measures import list_measures
from bychance.nulls.choose import NULL_NAMES
from bychance.ranking.job import BY

__all__ = ["by_names", "control_names", "device_names", "effect_names", "measure_names", "null_names"]

_KINDS = ("numeric", "mixed", "categorical")


def measure_names(incomplete: str) -> list[str]:
    """Measures, also after `kind=`."""
    kind, equals, _ = incomplete.rpartition("=")
    measures = ("auto", *(info.name for info in list_measures()))
    names = [f"{kind}{equals}{name}" for name in measures]
    kinds = [] if equals else [f"{each}=" for each in _KINDS]
    return sorted(name for name in [*names, *kinds] if name.startswith(incomplete))


def by_names(incomplete: str) -> list[str]:
    """What to order by."""
    return [name for name in BY if name.startswith(incomplete)]


def control_names(incomplete: str) -> list[str]:
    """Ways to control covariates."""
    return [name for name in CONTROLS if name.startswith(incomplete)]


def device_names(incomplete: str) -> list[str]:
    """Where work can be done."""
    return [name for name in DEVICES if name.startswith(incomplete)]


def effect_names(incomplete: str) -> list[str]:
    """Effects to look for beyond covariates."""
    return [name for name in EFFECTS if name.startswith(incomplete)]


def null_names(incomplete: str) -> list[str]:
    """Nulls by name."""
    return [name for name in (*NULL_NAMES, "permutation:9999") if name.startswith(incomplete)]
