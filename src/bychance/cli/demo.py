"""`bychance demo`: a built-in table with a known truth, ranked by the raw measure and by the adjusted one."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bychance.datasets import DEMO_TRUTH, make_demo
from bychance.estimate import Estimate, adjust

__all__ = ["demo"]

ALPHA = 0.05


def demo() -> None:
    """Adjust every column of a built-in table against its target, and show what chance does to a ranking."""
    table = make_demo()
    target = table.pop("yield")
    results = {name: adjust("explained", column, target) for name, column in table.items()}
    by_raw = sorted(results, key=lambda name: -results[name].observed)
    by_adjusted = sorted(results, key=lambda name: -results[name].adjusted_at(ALPHA))
    console = Console()
    console.print("Which columns explain [bold]yield[/bold]? By the raw share of explained variation:")
    console.print(_table(by_raw, results))
    console.print(f"\nThe same, less the {1 - ALPHA:.0%} quantile of what chance alone gives each column:")
    console.print(_table(by_adjusted, results))
    console.print(
        f"\nThe table was made by rule: only {', '.join(DEMO_TRUTH)} matter (●). Few rows (survey_*) and "
        "many categories (farmer, plot_code) lift noise to the top of the raw list. `by chance` is what "
        "independent columns give on average; `adjusted` is 0 for chance and 1 for the maximum."
    )


def _table(order: list[str], results: dict[str, Estimate]) -> Table:
    table = Table(box=None, header_style="bold")
    for heading in ("", "column", "rows", "raw", "by chance", "adjusted", f"at α={ALPHA}", "p-value"):
        table.add_column(heading, justify="left" if heading in ("", "column") else "right", no_wrap=True)
    for name in order:
        r, is_real = results[name], name in DEMO_TRUTH
        cells = [
            f"{r.observed:.3f}",
            f"{r.null.mean:.3f}",
            f"{r.adjusted:+.3f}",
            f"{r.adjusted_at(ALPHA):+.3f}",
        ]
        p_value = f"{r.p_value:.4f}" if r.p_value >= 0.0001 else "<0.0001"
        row = ["●" if is_real else " ", name, str(r.n), *cells, p_value]
        table.add_row(*(Text(cell, style="green" if is_real else "dim") for cell in row))
    return table
