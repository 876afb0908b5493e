"""Small public tables with known answers."""

from __future__ import annotations

import numpy as np

# UCBAdmissions: department → admitted men, rejected men, admitted women, rejected women.
BERKELEY = {
    "A": (512, 313, 89, 19),
    "B": (353, 207, 17, 8),
    "C": (120, 205, 202, 391),
    "D": (138, 279, 131, 244),
    "E": (53, 138, 94, 299),
    "F": (22, 351, 24, 317),
}

# mtcars: miles per gallon, horsepower, weight, cylinders.
MPG = [21, 21, 22.8, 21.4, 18.7, 18.1, 14.3, 24.4, 22.8, 19.2, 17.8, 16.4, 17.3, 15.2, 10.4, 10.4, 14.7, 32.4,
       30.4, 33.9, 21.5, 15.5, 15.2, 13.3, 19.2, 27.3, 26, 30.4, 15.8, 19.7, 15, 21.4]  # fmt: skip
HP = [110, 110, 93, 110, 175, 105, 245, 62, 95, 123, 123, 180, 180, 180, 205, 215, 230, 66, 52, 65, 97, 150,
      150, 245, 175, 66, 91, 113, 264, 175, 335, 109]  # fmt: skip
WT = [2.62, 2.875, 2.32, 3.215, 3.44, 3.46, 3.57, 3.19, 3.15, 3.44, 3.44, 4.07, 3.73, 3.78, 5.25, 5.424,
      5.345, 2.2, 1.615, 1.835, 2.465, 3.52, 3.435, 3.84, 3.845, 1.935, 2.14, 1.513, 3.17, 2.77, 3.57,
      2.78]  # fmt: skip
CYL = [6, 6, 4, 6, 8, 6, 8, 4, 4, 6, 6, 8, 8, 8, 8, 8, 8, 4, 4, 4, 4, 8, 8, 8, 8, 4, 4, 4, 8, 6, 8, 4]


def berkeley():
    """Return gender, admission, and department of 4,526 applicants."""
    rows = [
        (gender, admitted, department)
        for department, counts in BERKELEY.items()
        for (gender, admitted), count in zip(
            (("man", "yes"), ("man", "no"), ("woman", "yes"), ("woman", "no")), counts, strict=True
        )
        for _ in range(count)
    ]
    return (np.array(column) for column in zip(*rows, strict=True))
