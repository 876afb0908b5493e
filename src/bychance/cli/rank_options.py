"""Option panels of `bychance rank` (pairs, scores, output), converted to arguments of `bc.rank`.

A shell completes names of measures, orders, nulls, controls and devices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from bychance.cli.error_lines import check_jobs
from bychance.cli.panels import ShortHelp, column, one_of, option
from bychance.cli.reading import Batches, Names, ReadOptions, once
from bychance.covariates.settings import CONTROLS, EFFECTS, Given
from bychance.errors import BychanceError, unknown_name
from bychance.gpu.device import DEVICES
from bychance.measures.registry import list_measures
from bychance.nulls import Permutation
from bychance.nulls.choose import NULL_NAMES, NullSpec
from bychance.ranking.api import DEFAULTS
from bychance.ranking.files import file_format
from bychance.ranking.options import BY, MeasureChoice
from bychance.validation import whole_number

__all__ = ["Output", "Pairing", "RankHelp", "Scoring"]

# Completions.

_KINDS = ("numeric", "mixed", "categorical")


def _measure_names(incomplete: str) -> list[str]:
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


_by_names, _control_names, _device_names = map(_one_of, (BY, (*CONTROLS, EFFECTS[-1]), DEVICES))
_null_names = _one_of((*NULL_NAMES, "permutation:9999"))


class RankHelp(ShortHelp):
    """Command class of `bychance rank` that selects the options shown in its short help."""

    most_used = ("target", "given", "drop", "measure", "null", "top", "out", "report")
    named_by_others = ("sort", "resume", "no_data")
    on_request = tuple(
        each.name for panel in (ReadOptions, Batches) for each in fields(panel) if each.name != "drop"
    )


_SEPARATE = "separate"  # an effect, named beside the ways to control


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """Options that select the pairs of columns."""

    title: ClassVar = "Which pairs"

    target: Annotated[Names, column("Rank all other columns by what they say about it.")] = None
    x: Annotated[Names, column("Pair this column (repeatable) …")] = None
    y: Annotated[Names, column("… with this one (repeatable).")] = None
    given: Annotated[Names, column("Look beyond this column (repeatable).")] = None
    control: Annotated[
        str,
        one_of("smooth, linear, strata, or separate (effects).", _control_names),
    ] = Given.control

    def options(self) -> dict[str, Any]:
        """Return the panel's option values by name, converted for `bc.rank`."""
        return {**vars(self), "target": once(self.target, "--target"), "given": self._given()}

    def _given(self) -> Given | None:
        """Return the covariates and how they are controlled, or None without --given."""
        *controls, last = self.control.split(",")
        effect = _SEPARATE if last == _SEPARATE else Given.effect
        control = ",".join(controls if effect == _SEPARATE else [*controls, last]) or Given.control
        if control not in CONTROLS:
            raise unknown_name("control", control, (*CONTROLS, _SEPARATE))
        if not self.given and (control, effect) != (Given.control, Given.effect):
            raise BychanceError("--control requires --given.")
        return Given(self.given, control=control, effect=effect) if self.given else None


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """Options of the measure, the null and the order of pairs."""

    title: ClassVar = "How they are ranked"

    measure: Annotated[
        list[str],
        one_of(
            "auto, r2, spearman, mic …, or by kind numeric=mic",
            _measure_names,
        ),
    ] = field(default_factory=lambda: [DEFAULTS["measure"]])
    null: Annotated[
        str,
        one_of("auto, moments (quick), exact, permutation:9999 …", _null_names),
    ] = DEFAULTS["null"]
    block: Annotated[
        int | None,
        option("Permute blocks of rows: for rows in order of time.", metavar="ROWS"),
    ] = None
    groups: Annotated[str | None, column("Permute rows within the groups of this column only.")] = None
    by: Annotated[
        str,
        one_of("observed, adjusted, p_value … orders.", _by_names),
    ] = DEFAULTS["by"]
    alpha: Annotated[
        list[float],
        option("Of adjusted_at. Repeated: ranks at each.", metavar="ALPHA"),
    ] = field(default_factory=lambda: [DEFAULTS["alpha"]])
    min_n: Annotated[int, option("Fewest rows that a pair must share.", metavar="ROWS")] = DEFAULTS["min_n"]
    fdr: Annotated[str, one_of("q-values by bh (Hochberg) or by (Yekutieli).")] = DEFAULTS["fdr"]
    fdr_level: Annotated[float, option("Pairs with a smaller q-value count as found.", metavar="RATE")] = (
        DEFAULTS["fdr_level"]
    )
    intervals: Annotated[
        bool, option("95% limits of all pairs that are kept, by any measure.", "--intervals")
    ] = False
    seed: Annotated[int, option("Same seed, same answer.", min=0, metavar="INT")] = DEFAULTS["rng"]

    def options(self) -> dict[str, Any]:
        """Return the panel's option values by name, converted for `bc.rank`."""
        null = self._restricted(_null(self.null))
        return {**vars(self), "measure": self._measure(), "null": null, "rng": self.seed}

    def _measure(self) -> MeasureChoice:
        """Parse --measure to one measure name, or to a dict of measure names by kind of pair."""
        values = self.measure
        chosen = dict(value.split("=", 1) for value in values if "=" in value)
        if not chosen and len(values) == 1:
            return values[0]
        if len(chosen) < len(values):
            raise BychanceError(
                f"--measure must be one name, or kind=name once per kind, got {', '.join(values)}."
            )
        return chosen

    def _restricted(self, null: NullSpec) -> NullSpec:
        """Restrict the null's permutations by --block and --groups."""
        if self.block is None and self.groups is None:
            return null
        if null == "auto":
            null = Permutation()
        if not isinstance(null, Permutation):
            raise BychanceError(f"--block and --groups require permutations, got --null {null}.")
        return replace(null, block=self.block, groups=self.groups)


def _null(value: str) -> NullSpec:
    """Parse the name of a null, or a number of permutations as in permutation:9999."""
    kind, _, count = value.partition(":")
    if kind != "permutation":
        if value not in NULL_NAMES:
            raise unknown_name("null", value, (*NULL_NAMES, "permutation"))
        return value
    if count and count != "auto" and not count.isdecimal():
        raise BychanceError(
            f"--null permutation: must be followed by a number of permutations, got {value!r}."
        )
    if not count:
        return Permutation()
    return Permutation("auto" if count == "auto" else int(count))


@dataclass(frozen=True, kw_only=True)
class Output:
    """Options of what is shown and written, and of threads and device."""

    title: ClassVar = "What comes out"

    top: Annotated[int, option("Number of pairs to show.", metavar="N")] = 20
    out: Annotated[
        Path | None,
        option("All pairs to .parquet, .csv or .json (--sort, --resume).", metavar="FILE"),
    ] = None
    report: Annotated[
        Path | None, option("A page to explore, .html (--no-data leaves values out).", metavar="FILE")
    ] = None
    no_data: Annotated[
        bool, option("With --report: leave the table's values out of the page.", "--no-data")
    ] = False
    sort: Annotated[bool, option("With --out: the best pair first.", "--sort")] = False
    resume: Annotated[bool, option("With --out: resume an interrupted run.", "--resume")] = False
    dry_run: Annotated[
        bool, option("Say how many pairs, which nulls and how long, and stop.", "--dry-run")
    ] = False
    jobs: Annotated[int, option("Threads, -1 for one per core.", metavar="N")] = 1
    device: Annotated[
        str,
        one_of("Device that samples nulls: cpu, cuda, or auto.", _device_names),
    ] = DEFAULTS["device"]

    def options(self) -> dict[str, Any]:
        """Return the panel's option values by name, converted for `bc.rank`."""
        return vars(self)

    def check(self) -> None:
        """Raise an error if output options are invalid or exclude each other."""
        whole_number(self.top, "top")
        if self.out is not None:
            file_format(self.out)
        if self.report is not None and self.report.suffix.lower() not in (".html", ".htm"):
            raise BychanceError(f"--report must end in .html, got {self.report}.")
        for flag, is_given in (("--sort", self.sort), ("--resume", self.resume)):
            if is_given and self.out is None:
                raise BychanceError(f"{flag} requires --out.")
        if self.resume and self.report is not None:
            raise BychanceError("--resume cannot be combined with --report, which needs all pairs at once.")
        check_jobs(self.jobs)
        if self.no_data and self.report is None:
            raise BychanceError("--no-data requires --report.")
