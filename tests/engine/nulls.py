"""Nulls for tests: laws and their moments, draws, tails by splitting, the store of draws."""

from __future__ import annotations

from types import ModuleType

import numpy as np

import bychance as bc
from bychance.measures import registry
from bychance.nulls import cache, cache_files, matching
from bychance.nulls.base import RootNull, null_bins
from bychance.nulls.cache import NullKey, NullStore, default_store
from bychance.nulls.cache_files import NullFiles
from bychance.nulls.choose import FixedAuto, choose_null
from bychance.nulls.distributions import CAVEATS, ENGINES, Engine, NullDistributions, as_null
from bychance.nulls.draws import draw_statistics
from bychance.nulls.exact import (
    ASKED,
    AUTO,
    MAX_RANK_NULL_N,
    MOST_ENUMERATED,
    fourfold_null,
    least_log_table_count,
    log_fewest_arrangements,
    log_table_count,
    rank_null,
)
from bychance.nulls.kendall import PARTS as KENDALL_PARTS
from bychance.nulls.kendall import TYPES as KENDALL_TYPES
from bychance.nulls.kendall import _fourth_moment as fourth_moment_of_s
from bychance.nulls.kendall import squared_s_moments
from bychance.nulls.matching import (
    beta_moments,
    beta_parameters,
    normal_theory,
)
from bychance.nulls.sample import SampleNull, summary_of_draws
from bychance.nulls.sequential import (
    SamplePlan,
    Stated,
    discovery_threshold,
    limits_of_p,
    needs_tail,
    sample_null,
    sample_until_known,
    undecided,
)
from bychance.nulls.splitting import END as LEAST_SPLIT_P
from bychance.nulls.splitting import (
    Tail,
    TailCurve,
    TailPair,
    pooled_tail,
    split_keys,
    split_runs,
    split_tail,
    tail_pair,
)
from bychance.nulls.statistics import Moments, PairStatistics, exact_moments
from bychance.pair import Pair
from bychance.parallel import JointSample

__all__ = [
    "CAVEATS",
    "KENDALL_PARTS",
    "KENDALL_TYPES",
    "LEAST_SPLIT_P",
    "MAX_RANK_NULL_N",
    "MOST_ENUMERATED",
    "Engine",
    "FixedAuto",
    "JointSample",
    "NullFiles",
    "NullKey",
    "NullStore",
    "SampleNull",
    "Stated",
    "TailCurve",
    "TailPair",
    "beta_moments",
    "beta_parameters",
    "cantelli_gains",
    "caveats_of",
    "default_store",
    "discovery_threshold",
    "draw_statistics",
    "engines_of",
    "fourth_moment_of_s",
    "has_few_tables",
    "law_of",
    "law_of_binary_columns",
    "law_of_root",
    "laws_of_traces",
    "limits_of_p",
    "log_fewest_arrangements",
    "log_table_count",
    "match_information",
    "may_have_few_tables",
    "modules_of_the_store",
    "moments_of",
    "multinomial_gains",
    "name_of",
    "needs_tail",
    "normal_theory",
    "null_bins",
    "null_of",
    "rank_null",
    "sample_until_known",
    "split_block",
    "split_tail",
    "squared_s_moments",
    "summary_of_draws",
    "tail_of",
    "tail_pair_at",
    "tail_pair_of",
    "undecided",
]


def null_of(spec: object, pair: Pair) -> bc.Null:
    """Return the null of one pair: a law, or a sample that is drawn."""
    chosen = choose_null(spec, pair)
    return sample_null(chosen, pair) if isinstance(chosen, SamplePlan) else chosen


def has_few_tables(log_count: np.ndarray | float) -> np.ndarray:
    """Return True if there are few enough contingency tables for `auto` to enumerate them."""
    return np.less_equal(log_count, np.log(AUTO.tables))


def may_have_few_tables(
    n: np.ndarray, x_groups: np.ndarray, y_groups: np.ndarray, x_smallest: np.ndarray, y_smallest: np.ndarray
) -> np.ndarray:
    """Return True if there may be few contingency tables, from numbers of groups and the smallest groups."""
    groups, smallest = np.array([x_groups, y_groups]), np.array([x_smallest, y_smallest])
    return has_few_tables(least_log_table_count(n, groups, smallest))


def law_of_binary_columns(pair: Pair) -> bc.Null:
    """Return the law of two binary columns over all 2 × 2 tables."""
    return fourfold_null(pair, ASKED)


def moments_of(measure: str | bc.Measure, x: object, y: object) -> list[Moments | None]:
    """Return the exact moments by each algebra that a measure has for two prepared variables."""
    if isinstance(measure, str):
        measure = registry.resolve(measure)
    return [exact_moments(structure) for structure in measure.structures(x, y)]


def law_of(engine: Engine, mean: float, std: float, **parameters: object) -> bc.Null:
    """Return the null of one pair whose law has this mean and standard deviation."""
    return as_null(NullDistributions.of(engine, np.array([mean]), np.array([std]), **parameters))


def law_of_root(law: bc.Null, factor: float) -> bc.Null:
    """Return the null of √(factor · value) for a value with this law."""
    return RootNull.of(law, factor)


def laws_of_traces(
    *, distribution: str, is_whole_table: bool = False, **statistics: object
) -> NullDistributions:
    """Return the laws that are matched to traces, of many pairs."""
    return matching.match_traces(_statistics(**statistics), distribution, is_whole_table=is_whole_table)


def match_information(
    *, mean: np.ndarray, variance: np.ndarray, is_whole_table: bool = False, **statistics: object
) -> NullDistributions:
    """Return the laws that are matched to mutual information, of many pairs."""
    found = _statistics(moments=np.stack([mean, variance, np.full(len(mean), np.nan)]), **statistics)
    return matching.match_information(found, is_whole_table=is_whole_table)


def cantelli_gains(**statistics: object) -> NullDistributions:
    """Return the paper's laws of Gini gain, of many pairs."""
    return matching.cantelli_gains(_statistics(**statistics))


def multinomial_gains(**statistics: object) -> NullDistributions:
    """Return the gamma distributions of Gini gain, of many pairs."""
    return matching.multinomial_gains(_statistics(**statistics))


def _statistics(n: np.ndarray, **given: object) -> PairStatistics:
    """Return a record of what is given of x and y, by their names."""
    found = {"bound" if name == "upper" else name: value for name, value in given.items()}
    groups = found.pop("x_groups", None)
    distinct = found.pop("x_distinct", groups), found.pop("y_distinct", groups)
    found.setdefault("distinct", distinct)
    if "x_invariants" in found:
        found["invariants"] = found.pop("x_invariants"), found.pop("y_invariants")
    for name in ("scale", "bound"):
        if name in found:
            found[name] = np.broadcast_to(np.asarray(found[name], dtype=np.float64), n.shape)
    return PairStatistics(n=n, value=np.zeros(len(n)), is_degenerate=np.zeros(len(n), dtype=bool), **found)


def engines_of(laws: NullDistributions) -> list[str]:
    """Name the engine of each law."""
    return [ENGINES[code].name for code in laws.engine]


def name_of(engine: Engine) -> str:
    """Name an engine as results do."""
    return ENGINES[engine].name


def caveats_of(laws: NullDistributions) -> list[str]:
    """Say why each law is doubtful, or "" if it is not."""
    return [CAVEATS[code] for code in laws.caveat]


def split_block(pairs: list[TailPair]) -> list[Tail]:
    """Return the tails of many pairs, whose runs are made in one call."""
    runs = iter(split_runs(pairs))
    return [pooled_tail([next(runs) for _ in pair.permutations]) for pair in pairs]


def tail_pair_at(
    measure: bc.Measure, x: object, y: object, threshold: float, root: int = 0, **settings: object
) -> TailPair:
    """Return what splitting starts from for two prepared variables and a threshold."""
    spec = bc.Permutation(**settings)
    permutations = [spec.permutations(key, x.n) for key in split_keys(root, "test")]
    return TailPair(measure, x, y, threshold, permutations)


def tail_pair_of(pair: Pair, std: float = 0.1, **changes: object) -> TailPair:
    """Return the start of splitting. `std` is the null's standard deviation."""
    asked = tail_pair(pair, bc.Permutation(), std)
    return TailPair(**{**vars(asked), **changes}) if changes else asked


def tail_of(pair: Pair, std: float = 0.1, **options: object) -> Tail:
    """Return the tail of a pair at its observed value, by splitting."""
    return split_tail(tail_pair_of(pair, std), **options)


def modules_of_the_store() -> tuple[ModuleType, ...]:
    """Return the modules that read and write stored draws."""
    return cache, cache_files
