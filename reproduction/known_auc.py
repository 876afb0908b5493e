"""Known AUCs of forests on the paper's 19 sets: its own, and those of an independent study."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FORESTS", "KNOWN", "PAPER_WILCOXON", "Known"]

# The columns of the paper's table, by the names they have here.
FORESTS = {"gini": "Gini", "sgini": "SGini", "agini": "AGini(0.05)", "tuned": "AGini(tuned)"}

# One-sided, against Gini.
PAPER_WILCOXON = {"sgini": 0.0114, "agini": 0.0295, "tuned": 0.0086}


@dataclass(frozen=True, slots=True)
class Known:
    """One set: AUCs of the four forests in percent, and the paper's marks of the last three against Gini.

    The study gives a standard error for Gini only, which is taken for all four. Its "tuned" uses the
    authors' levels. For the sets kr-vs-kp, splice and steel it says no more than that it is within
    0.01 of the paper. `is_slow` are those that it ran 25 times instead of 50.
    """

    paper: tuple[float, float, float, float]
    marks: str
    study: tuple[float, float, float, float]
    study_se: float
    is_slow: bool = False


KNOWN = {
    "Credit-g": Known((77.47, 78.17, 77.66, 78.16), "+=+", (77.67, 78.27, 77.72, 78.23), 0.15),
    "australian": Known((92.59, 93.09, 93.02, 93.11), "+++", (92.67, 93.18, 93.08, 93.19), 0.07),
    "promoters": Known((97.03, 97.29, 97.41, 97.53), "+++", (96.66, 97.07, 97.13, 97.18), 0.19),
    "flags": Known((90.49, 91.75, 91.75, 91.83), "+++", (90.19, 91.44, 91.51, 91.56), 0.13),
    "kr-vs-kp": Known((99.86, 99.86, 99.86, 99.86), "===", (99.86, 99.86, 99.86, 99.86), 0.01),
    "led7": Known((94.18, 94.18, 94.18, 94.18), "===", (94.16, 94.16, 94.17, 94.17), 0.03),
    "lymph": Known((92.91, 93.16, 93.13, 93.13), "+==", (92.49, 92.95, 93.01, 93.01), 0.23),
    "mfeat-pixel": Known(
        (99.58, 99.63, 99.64, 99.64), "+++", (99.59, 99.64, 99.64, 99.64), 0.01, is_slow=True
    ),
    "mito": Known((79.32, 79.28, 79.26, 79.10), "===", (78.38, 78.28, 78.22, 77.89), 0.47),
    "monks1": Known((99.96, 99.85, 97.38, 99.78), "---", (99.97, 99.86, 97.35, 99.80), 0.01),
    "monks2": Known((64.86, 70.89, 77.83, 80.72), "+++", (65.08, 70.97, 77.91, 80.77), 0.36),
    "monks3": Known((98.73, 98.74, 98.74, 98.73), "===", (98.73, 98.74, 98.73, 98.72), 0.04),
    "solar-flare": Known((89.17, 89.23, 89.22, 89.23), "+=+", (89.12, 89.20, 89.17, 89.17), 0.12),
    "splice": Known((99.52, 99.52, 99.52, 99.52), "===", (99.52, 99.52, 99.52, 99.52), 0.01, is_slow=True),
    "steel": Known((99.94, 99.93, 99.93, 99.94), "---", (99.94, 99.93, 99.93, 99.94), 0.01),
    "tae": Known((72.25, 72.33, 73.23, 73.65), "+++", (70.89, 70.93, 71.59, 71.76), 0.60),
    "tic-tac-toe": Known((97.83, 97.93, 97.95, 97.94), "+++", (97.90, 98.03, 98.03, 98.03), 0.08),
    "c-to-u": Known((89.74, 89.42, 89.28, 89.61), "---", (89.82, 89.50, 89.35, 89.74), 0.09, is_slow=True),
    "HIV": Known((84.08, 89.27, 89.58, 89.58), "+++", (83.59, 89.08, 89.27, 89.27), 0.36, is_slow=True),
}
