"""Forms that are not read: each is told, where it is more than a few categories."""

from __future__ import annotations

import pytest

from bychance.io import read_table
from bychance.io.unread_forms import FEWEST_DISTINCT

FORMS = {
    "heights in feet and inches": "5'{k}\"",
    "numbers with a prime": "{k}'",
    "places or other numbers in order": "{k}th",
    "percentages with words": "9{k}% 2L NC",
    "weeks": "2023-W{k:02}",
    "days without a year": "Sat {k} Aug",
    "dates with a time that has no colon": "02/{k:02}/24 0612",
}


def notes_of(form, n_distinct, *words):
    cells = [form.format(k=k) for k in range(1, n_distinct + 1)] * 5
    return [
        note.text for note in read_table({"x": [*cells, *words], "y": [1] * (len(cells) + len(words))}).notes
    ]


@pytest.mark.parametrize(("what", "form"), FORMS.items(), ids=FORMS)
@pytest.mark.parametrize("words", [[], ["DNF"] * 7], ids=["alone", "beside a word"])
def test_a_form_that_is_not_read_is_told(what, form, words):
    (note,) = notes_of(form, FEWEST_DISTINCT, *words)

    assert note.endswith(f" and the like are {what}, which are not read as numbers")


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_few_of_them_are_categories(form):
    assert notes_of(form, 4) == []
