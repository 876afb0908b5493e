"""Shell completions of option values: names of measures, orders, nulls, controls and devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bychance.covariates.settings import CONTROLS, EFFECTS
from bychance.gpu.device import DEVICES
from bychance.named_measures import list_measures
from bychance.nulls.choose import NULL_NAMES
from bychance.ranking.options import BY

__all__ = ["by_names", "control_names", "device_names", "measure_names", "null_names"]

_KINDS = ("numeric", "mixed", "categorical")


def measure_names(incomplete: str) -> list[str]:
    """Return the measure names that complete the typed text, also after `kind=`."""
    kind, equals, _ = incomplete.rpartition("=")
    measures = ("auto", *(info.name for info in list_measures()))
    names = [f"{kind}{equals}{name}" for name in measures]
    kinds = [] if equals else [f"{each}=" for each in _KINDS]
    return sorted(name for name in [*names, *kinds] if name.startswith(incomplete))


def _one_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    def offered(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return offered


by_names, control_names, device_names = map(_one_of, (BY, (*CONTROLS, EFFECTS[-1]), DEVICES))
null_names = _one_of((*NULL_NAMES, "permutation:9999"))
