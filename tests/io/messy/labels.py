"""Names, labels, codes and sentinels. Written from the issue and from real files, before the parser was."""

from __future__ import annotations

from tests.io.messy.case import Case, aside, categorical, numeric, one_column, silent

HEIGHTS = [150.0 + 3.5 * k for k in range(20)]

CASES: list[Case] = [
    one_column(
        "sentinel -999",
        ["-999" if k % 6 == 0 else f"{h:g}" for k, h in enumerate(HEIGHTS)],
        numeric([-999.0 if k % 6 == 0 else h for k, h in enumerate(HEIGHTS)], "-999", "missing="),
    ),
    one_column(
        "sentinel 9999",
        ["9999" if k % 5 == 0 else f"{h:g}" for k, h in enumerate(HEIGHTS)],
        numeric([9999.0 if k % 5 == 0 else h for k, h in enumerate(HEIGHTS)], "9999", "missing="),
    ),
    one_column(
        "sentinel named",
        ["-999" if k % 6 == 0 else f"{h:g}" for k, h in enumerate(HEIGHTS)],
        silent(numeric([None if k % 6 == 0 else h for k, h in enumerate(HEIGHTS)])),
        options={"missing": ["-999"]},
    ),
    one_column(
        "labels that differ by case",
        ["Male", "male", "MALE", "Female"] * 5,
        categorical(["Male", "male", "MALE", "Female"] * 5, "case", "'Male'", "'male'"),
    ),
    one_column(
        "zero-padded codes",
        ["02139", "00501", "10001", "94105"] * 5,
        categorical(["02139", "00501", "10001", "94105"] * 5, "zero", "numeric="),
    ),
    one_column(
        "zero-padded codes with a letter in some",
        [*(f"{k:04}" for k in range(970, 1000)), "A002", "75PC"] * 2,
        categorical([*(f"{k:04}" for k in range(970, 1000)), "A002", "75PC"] * 2, "padded with zeros"),
    ),
    one_column(
        "departments with letters behind some numbers",
        [*(f"{k:02}" for k in range(1, 50)), "2A", "2B"] * 2,
        categorical([*(f"{k:02}" for k in range(1, 50)), "2A", "2B"] * 2, "categories, though"),
    ),
    one_column(
        "numbers of payments",
        [f"42000012345678901234567890{k}" for k in (12, 13, 14)] * 4,
        categorical([f"42000012345678901234567890{k}" for k in (12, 13, 14)] * 4, "20 digits", "numeric="),
    ),
    one_column("one listed answer", ["2. Middle West"] * 9, silent(categorical(["2. Middle West"] * 9))),
    one_column("files", ["97.mat", "98.mat"] * 6, silent(categorical(["97.mat", "98.mat"] * 6))),
    one_column(
        "numbers beside a word in most cells",
        [*["not shown"] * 30, *(str(15 * k) for k in range(1, 8))],
        categorical([*["not shown"] * 30, *(str(15 * k) for k in range(1, 8))], "missing=['not shown']"),
    ),
    one_column(
        "padded numbers and a slip",
        [*(f"{k:02}" for k in range(1, 31)), "soon"] * 2,
        aside("mixed", "'soon'"),
    ),
    one_column(
        "zero-padded codes as numbers",
        ["02139", "00501", "10001", "94105"] * 5,
        numeric([2139.0, 501.0, 10001.0, 94105.0] * 5),
        options={"numeric": ["messy"]},
    ),
    one_column("infinite", ["inf", "-inf", *[f"{h:g}" for h in HEIGHTS]], aside("infinite", "missing=")),
    one_column("yes and no", ["Yes", "No", "No"] * 5, silent(categorical(["Yes", "No", "No"] * 5))),
    one_column(
        "dollars kept as labels",
        ["$1", "$2", "$3"] * 5,
        categorical(["$1", "$2", "$3"] * 5),
        options={"categorical": ["messy"]},
    ),
    one_column(
        "a word taken for missing",
        ["unknown", *[f"{h:g}" for h in HEIGHTS]],
        numeric([None, *HEIGHTS]),
        options={"missing": ["unknown"]},
    ),
]
