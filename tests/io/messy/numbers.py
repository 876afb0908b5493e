"""Numbers as people write them. Written from the issue and from real files, before the parser was."""

from __future__ import annotations

from tests.io.messy.case import Case, aside, categorical, numeric, one_column, silent

INCOMES = [
    22690.0,
    1107.51,
    540.0,
    98765.43,
    1234567.0,
    45.5,
    33000.25,
    7800.0,
    61250.5,
    19999.99,
    3.0,
    870.1,
]
COUNTS = [1234.0, 56.0, 789012.0, 3456789.0, 12.0, 999.0, 1000.0, 45678.0, 2.0, 70001.0, 610.0, 8080.0]
SHARES = [22.7, 5.0, 99.9, 0.1, 45.25, 33.3, 61.0, 12.5, 80.0, 7.75, 54.1, 3.2]
SIGNED = [-5.0, 3.0, -12.5, 0.0, 7.25, -1234.0, 88.0, -0.5, 41.0, -7.0, 15.0, 2.0]


def grouped(value: float, thousands: str, decimal: str = ".", digits: int = 2) -> str:
    """1234.5 with the separators of a country."""
    plain = f"{value:,.{digits}f}"
    return plain.replace(",", "\0").replace(".", decimal).replace("\0", thousands)


CASES: list[Case] = [
    one_column("dollars", [f"${value:,.2f}" for value in INCOMES], numeric(INCOMES, "$")),
    one_column(
        "euros before", [f"€ {grouped(v, '.', ',')}" for v in INCOMES], numeric(INCOMES, "€", "comma")
    ),
    one_column("euros after", [f"{grouped(v, '.', ',')} €" for v in INCOMES], numeric(INCOMES, "€", "comma")),
    one_column("currency code", [f"USD {value:,.2f}" for value in INCOMES], numeric(INCOMES, "USD")),
    one_column("percent", [f"{value}%" for value in SHARES], numeric(SHARES, "%")),
    one_column("percent with a space", [f"{value} %" for value in SHARES], numeric(SHARES, "%")),
    one_column(
        "parentheses",
        [f"({-value:,.2f})" if value < 0 else f"{value:,.2f}" for value in SIGNED],
        numeric(SIGNED, "(", "negative"),
    ),
    one_column(
        "dollars in parentheses",
        [f"(${-value:,.2f})" if value < 0 else f"${value:,.2f}" for value in SIGNED],
        numeric(SIGNED, "$", "negative"),
    ),
    one_column(
        "minus before the dollar",
        [f"-${-value:,.2f}" if value < 0 else f"${value:,.2f}" for value in SIGNED],
        numeric(SIGNED, "$"),
    ),
    one_column("Unicode minus", [f"{v:g}".replace("-", "\u2212") for v in SIGNED], numeric(SIGNED, "minus")),
    one_column("kilograms", [f"{value:g} kg" for value in SHARES], numeric(SHARES, "kg")),
    one_column("unit without a space", [f"{value:g}cm" for value in SHARES], numeric(SHARES, "cm")),
    one_column(
        "two units",
        [f"{value:g} {'kg' if k % 2 else 'lb'}" for k, value in enumerate(SHARES)],
        aside("kg", "lb"),
    ),
    one_column(
        "two currencies",
        [f"{'$' if k % 2 else '€'}{value:g}" for k, value in enumerate(SHARES)],
        aside("$", "€"),
    ),
    one_column("thousands by comma", [f"{v:,.0f}" for v in COUNTS], numeric(COUNTS, "comma", "thousands")),
    one_column("thousands by space", [grouped(v, " ", digits=0) for v in COUNTS], numeric(COUNTS, "space")),
    one_column(
        "thousands by narrow space",
        [grouped(v, "\u202f", ",") for v in COUNTS],
        numeric(COUNTS, "space", "comma"),
    ),
    one_column("thousands by point", [grouped(v, ".", digits=0) for v in COUNTS], numeric(COUNTS, "point")),
    one_column("thousands by apostrophe", [grouped(v, "'") for v in INCOMES], numeric(INCOMES, "apostrophe")),
    one_column(
        "thousands by right quote", [grouped(v, "\u2019") for v in INCOMES], numeric(INCOMES, "apostrophe")
    ),
    one_column(
        "decimal comma", [f"{v:g}".replace(".", ",") for v in SHARES], numeric(SHARES, "comma"), delimiter=";"
    ),
    one_column(
        "three decimals after a comma",
        [f"{v / 1000:.3f}".replace(".", ",") for v in [123, 500, 871, 999, 250, 334, 777, 42]],
        numeric([0.123, 0.5, 0.871, 0.999, 0.25, 0.334, 0.777, 0.042], "comma"),
        delimiter=";",
    ),
    one_column(
        "three decimals after a point",
        [f"{v}.125" for v in range(1, 13)],
        silent(numeric([v + 0.125 for v in range(1, 13)])),
    ),
    one_column("signs and spaces", [f"  {v:+g} " for v in SIGNED], numeric(SIGNED)),
    one_column("powers of ten", [f"{v:.6E}" for v in COUNTS], silent(numeric(COUNTS))),
    one_column(
        "missing marks among dollars",
        ["n/a", "-", "", None, *[f"${value:,.2f}" for value in INCOMES]],
        numeric([None] * 4 + INCOMES, "$"),
    ),
    one_column(
        "a word among numbers",
        ["unknown", *[f"{value:g}" for value in SHARES]],
        aside("mixed", "'unknown'", "missing="),
    ),
    one_column(
        "versions",
        [f"{k}.{k % 3}.{k % 5}" for k in range(12)] * 2,
        categorical([f"{k}.{k % 3}.{k % 5}" for k in range(12)] * 2),
    ),
    one_column("fractions", ["1/2", "3/4", "1/4"] * 5, silent(categorical(["1/2", "3/4", "1/4"] * 5))),
    one_column(
        "telephone numbers",
        [f"(555) {100 + k}-{4000 + k}" for k in range(24)],
        aside("24 of 24 values are distinct"),
    ),
    one_column(
        "ranges", ["10-20", "20-30", "30-40"] * 5, silent(categorical(["10-20", "20-30", "30-40"] * 5))
    ),
    Case(
        "income in three ways",
        {
            "plain": [f"{value}" for value in INCOMES],
            "dollars": [f"${value:,.2f}" for value in INCOMES],
            "percent": [f"{value}%" for value in INCOMES],
        },
        {
            "plain": silent(numeric(INCOMES)),
            "dollars": numeric(INCOMES, "$"),
            "percent": numeric(INCOMES, "%"),
        },
    ),
]
