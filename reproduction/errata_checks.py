"""The paper's errata, each with the computation that shows it: what is printed, and what is right.

Each function gives a claim as the paper makes it, which does not hold.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bychance as bc
from reproduction.claims import Claim
from reproduction.known_auc import FORESTS, KNOWN, PAPER_WILCOXON
from reproduction.run import Run
from reproduction.simulate import mean_and_error, noisy_sample, simulate

__all__ = ["CHECKS", "sr2_at_equal_p"]

# Three classes by three categories, with empty cells.
TABLE = np.array([[3, 1, 0], [0, 2, 1], [1, 1, 3]])
SIZES = (20, 40, 60, 80, 100)
_ABOVE = 1 + 1e-6  # more than rounding, less than the distance of two values of a law


def gini_sum(run: Run) -> Claim:
    """Check the inner sum of Gini gain: from i = j it leaves out cells."""
    shares = TABLE / TABLE.sum()
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    inner = [1 - sum((TABLE[i, j] / TABLE[i].sum()) ** 2 for j in range(i, 3)) for i in range(3)]
    printed = 1 - (columns**2).sum() - (rows * inner).sum()
    right = bc.measure("gini", *_columns_of_table())
    return _exact("Gini gain of a table of 12 rows, its inner sum as printed", "Appendix A", printed, right)


def cantelli_proof(run: Run) -> Claim:
    """Check the proof of the bound: λ²/(1 + λ²) = α must be 1 − α."""
    null, alpha = _gini_null(3), 0.05
    quantile = null.mean + np.sqrt(alpha / (1 - alpha)) * null.std
    covered = 1 - null.sf(quantile * _ABOVE)
    return Claim(
        text="share of Gini gains up to the bound that follows from the proof's λ at α = 0.05",
        source="Appendix A.2",
        paper=0.95,
        ours=covered,
        size="exact null, n = 100",
        kind="at_least",
    )


def penalty_of_two(run: Run) -> Claim:
    """Check that 0.036 is Cantelli's bound, not a quantile."""
    return _penalty(2, 0.036)


def penalty_of_three(run: Run) -> Claim:
    """Check that 0.053 is Cantelli's bound, not a quantile."""
    return _penalty(3, 0.053)


def largest_average_n(run: Run) -> Claim:
    """Check the mark (max) at α = 0.1: 121.1 and 119.4, at α = 0.05, are larger."""
    printed = {"0.4": (116.2, 111.7), "0.05": (121.1, 119.4), "0.1": (120.2, 117.4)}
    largest = {max(printed, key=lambda alpha: printed[alpha][k]) for k in (0, 1)}
    return Claim(
        text="the α with the largest average n, by the printed figures",
        source="Table 1",
        paper="0.1",
        ours=", ".join(sorted(largest)),
        size="printed figures",
        kind="same",
    )


def quantile_equation(run: Run) -> Claim:
    """Check that P(D₀ ≤ q₀(1 − α)) = 1 − α has no solution for a discrete law."""
    null = _gini_null(2)
    covered = 1 - null.sf(null.quantile(0.95) * _ABOVE)
    return _exact("P(Gini ≤ its 0.95-quantile), two categories, n = 100", "Definition 4.2", 0.95, covered)


def quantile_at_one(run: Run) -> Claim:
    """Check that the ⌈(1 − α)S⌉-th of the sorted values does not exist at α = 1, which is allowed."""
    n_draws = 10_000
    return Claim(
        text="place of the order statistic at α = 1 among 10,000 draws",
        source="Section 4.2",
        paper=1,
        ours=ceil((1 - 1.0) * n_draws),
        size="exact",
        kind="at_least",
    )


def kappa_range(run: Run) -> Claim:
    """Check that κ, and every adjusted measure, can be negative."""
    kappa = bc.adjust("agreement", ["yes", "no"] * 5, ["no", "yes"] * 5).adjusted
    return Claim(
        text="κ of two annotators who always disagree, said to lie in [0, 1]",
        source="Section 2.1",
        paper=0,
        ours=kappa,
        size="n = 10",
        kind="at_least",
    )


def p_values_are_not_standardized(run: Run) -> Claim:
    """Check that at one p-value the standardized r² grows with n, so the two rank differently."""
    small, large = (sr2_at_equal_p(n) for n in (20, 100))
    return _exact("Sr² of an r² with p = 0.001: at n = 20 it is that at n = 100", "Section 4.1", large, small)


def standardized_is_nearly_unbiased(run: Run) -> Claim:
    """Check that Sr² picks n = 20 a little more often than others under independence."""
    runs = run.size(1_000_000, 200_000)
    share = float(run.piece("errata_sr2", sr2_wins, runs=runs)["share"])
    return Claim(
        text="how often Sr² picks n = 20 among five sizes under independence, normal data",
        source="Figure 5",
        paper=0.2,
        ours=share,
        size=f"{runs:,} simulations",
        se=float(np.sqrt(0.16 / runs)),
    )


def sr2_wins(*, seed: int, runs: int) -> dict[str, Any]:
    """Return the share of runs in which n = 20 has the largest Sr², each r² from its Beta law."""
    rng = np.random.default_rng([seed, 5])
    scores = []
    for n in SIZES:
        r2 = rng.beta(0.5, (n - 2) / 2, size=runs)
        scores.append((r2 - 1 / (n - 1)) / np.sqrt(2 * (n - 2) / ((n - 1) ** 2 * (n + 1))))
    return {"share": np.mean(np.argmax(scores, axis=0) == 0)}


def deviation_is_biased(run: Run) -> Claim:
    """Check that SDMIC² is unbiased, but not SDMIC: two draws of two equally likely values."""
    pairs = [(first, second) for first in (0.0, 1.0) for second in (0.0, 1.0)]
    mean = float(np.mean([np.std(pair, ddof=1) for pair in pairs]))
    return _exact("expected estimate of a standard deviation of 0.5 from two draws", "Section 4.2", 0.5, mean)


def beta_needs_a_normal_margin(run: Run) -> Claim:
    """Check that r² of uniform data, as in the experiments, varies more than its Beta law says."""
    runs = run.size(4_000, 400)
    rng = np.random.default_rng([run.seed, 12])
    samples = (noisy_sample(rng, "linear", 20, 1.0) for _ in range(runs))
    # The mean of r² over permutations is 1/(n − 1) for any data, so that variances can be averaged.
    variances = np.array([bc.adjust("r2", x, y, null="moments").null.std ** 2 for x, y in samples])
    mean, error = mean_and_error(variances / (2 * 18 / (19**2 * 21)))
    return Claim(
        text="variance of r² of uniform data at n = 20, in those of the Beta law",
        source="Section 3",
        paper=1,
        ours=mean,
        size=f"{runs:,} simulations",
        se=error,
    )


def ties_beat_one_in_k(run: Run) -> Claim:
    """Check that to be equal or greater has a probability above 1/K if estimates can be tied."""
    x = [0, 0, 0, 1, 1, 1]
    gains = np.array([bc.measure("gini", x, y) for y in sorted(set(permutations(x)))])
    share = float(np.mean(gains[:, None] >= gains[None, :]))
    return _exact("P(one of two Gini gains of the same law ≥ the other), n = 6", "Property 4.1", 0.5, share)


def penalty_ignores_the_estimate(run: Run) -> Claim:
    """Check that q₀(1 − α) depends on n and the margins alone, not on the estimate."""
    y = np.arange(100) % 2
    results = [bc.adjust("gini", x, y, null="paper") for x in (np.arange(100) // 50, y)]
    weak, strong = (r.observed - r.adjusted_at(0.05) for r in results)
    return Claim(
        text="the penalty of an insignificant gain, beside that of a significant one",
        source="Section 4",
        paper="larger",
        ours="larger" if weak > strong * _ABOVE else "the same",
        size="n = 100, same margins",
        kind="same",
    )


def plug_in_breaks_the_bound(run: Run) -> Claim:
    """Check that plugged-in class shares can put the bound below the quantile: an ID always gains 0.5."""
    n, alpha = 10, 0.9
    mean, variance = _dobra_gehrke(np.ones(n), np.array([5, 5]))
    bound = mean + np.sqrt((1 - alpha) / alpha * variance)
    gain = bc.measure("gini", np.arange(n).astype(str), np.arange(n) % 2)
    return Claim(
        text="bound on the 0.1-quantile of Gini gain, 10 rows with 10 categories",
        source="Section 4.3",
        paper=gain,
        ours=bound,
        size="exact",
        kind="at_least",
    )


def empty_cells(run: Run) -> Claim:
    """Check that mutual information as printed has 0 · log 0 in it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log2(TABLE * TABLE.sum() / np.outer(TABLE.sum(axis=1), TABLE.sum(axis=0)))
        printed = float((TABLE / TABLE.sum() * logs).sum())
    right = bc.measure("mi", *_columns_of_table())
    return _exact("mutual information of a table with empty cells, as printed", "Appendix A", printed, right)


def steel_mark(run: Run) -> Claim:
    """Check that tuned AGini and Gini are both printed as 99.94 on steel, the one marked smaller."""
    gini, *_, tuned = KNOWN["steel"].paper
    return Claim(
        text="steel: AUC of AGini(tuned), marked (−), beside that of Gini",
        source="Table 2",
        paper="smaller",
        ours="smaller" if tuned < gini else "the same",
        size="printed figures",
        kind="same",
    )


def printed_wilcoxon(forest: str) -> Callable[[Run], Claim]:
    """Make the check that the Wilcoxon p-value of a forest follows from the printed AUCs."""

    def check(run: Run) -> Claim:
        from scipy import stats

        k = list(FORESTS).index(forest)
        over = [round(known.paper[k] - known.paper[0], 2) for known in KNOWN.values()]
        p = float(stats.wilcoxon(over, alternative="greater", correction=True, method="approx").pvalue)
        return Claim(
            text=f"one-sided Wilcoxon p of {FORESTS[forest]} by the printed AUCs",
            source="Table 2",
            paper=PAPER_WILCOXON[forest],
            ours=p,
            size="printed figures",
            rounding=5e-5,
        )

    return check


def quantification_is_nearly_unbiased(run: Run) -> Claim:
    """Check that at 20% noise the mean of Ar² still grows a little with n."""
    runs = run.size(20_000, 2_000)
    scores = simulate(run, "r2", sizes=[10, 100], noises=[0.2], runs=runs)
    (few, few_error), (many, many_error) = (scores[n, 0.2].adjusted_mean for n in (10, 100))
    return Claim(
        text=f"mean Ar² at 20% noise: at n = 10 it is that at n = 100 ({many:.3f})",
        source="Property 3.2",
        paper=many,
        ours=few,
        size=f"{runs:,} simulations",
        se=float(np.hypot(few_error, many_error)),
    )


def sr2_at_equal_p(n: int) -> float:
    """Compute the Sr² that an r² with p = 0.001 has at n rows, by the Beta law.

    >>> round(sr2_at_equal_p(20), 2), round(sr2_at_equal_p(100), 2)
    (5.92, 6.75)
    """
    null = bc.adjust("r2", np.arange(n), np.arange(n) ** 2, null="paper").null
    return float((null.quantile(0.999) - null.mean) / null.std)


CHECKS: dict[int, list[Callable[[Run], Claim]]] = {
    1: [gini_sum],
    2: [cantelli_proof],
    3: [penalty_of_two, penalty_of_three],
    5: [largest_average_n],
    7: [quantile_equation, quantile_at_one],
    8: [kappa_range],
    9: [p_values_are_not_standardized],
    10: [standardized_is_nearly_unbiased],
    11: [deviation_is_biased],
    12: [beta_needs_a_normal_margin],
    13: [ties_beat_one_in_k],
    14: [penalty_ignores_the_estimate],
    15: [plug_in_breaks_the_bound],
    16: [empty_cells],
    17: [steel_mark],
    18: [printed_wilcoxon(forest) for forest in PAPER_WILCOXON],
    20: [quantification_is_nearly_unbiased],
}


def _exact(text: str, source: str, paper: float, ours: float) -> Claim:
    """Compare two values but for the last digits of a computation."""
    return Claim(text=text, source=source, paper=paper, ours=ours, size="exact", rounding=1e-9)


def _columns_of_table() -> NDArray[np.intp]:
    """Make the two columns whose counts are TABLE."""
    return np.repeat(np.indices(TABLE.shape).reshape(2, -1), TABLE.ravel(), axis=1)


def _penalty(n_categories: int, printed: float) -> Claim:
    exact = _gini_null(n_categories).quantile(0.95)
    text = f"0.95-quantile of Gini gain with {n_categories} categories, n = 100"
    return Claim(text=text, source="Section 4", paper=printed, ours=exact, size="exact", rounding=5e-4)


def _gini_null(n_categories: int) -> bc.Null:
    x = np.arange(100) * n_categories // 100
    return bc.adjust("gini", x, np.arange(100) % 2, null="exact").null


def _dobra_gehrke(row_totals: NDArray[Any], classes: NDArray[Any]) -> tuple[float, float]:
    """Compute mean and variance of Gini gain as printed in the appendix."""
    n, r, p = row_totals.sum(), len(row_totals), classes / classes.sum()
    p2, p3 = (p**2).sum(), (p**3).sum()
    mean = (r - 1) / n * (1 - p2)
    spread = (1 / row_totals).sum() - 2 * r / n + 1 / n
    variance = ((r - 1) * (2 * p2 + 2 * p2**2 - 4 * p3) + spread * (-2 * p2 - 6 * p2**2 + 8 * p3)) / n**2
    return float(mean), float(variance)
