"""The rows of a ranking without their 95% limits, which take longer than all else and are not compared."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import bychance as bc
from bychance.ranking.kept.output import ranking_columns


def rows_of(ranking: bc.Ranking) -> list[dict[str, Any]]:
    """The records of its frame, less the limits."""
    names = ranking._plan.table.names
    columns = ranking_columns(ranking._rows, slice(None), ranking._place, ranking._q_value, names)
    return pa.table(columns).to_pylist()
