"""Fixtures of the selection's tests."""

from __future__ import annotations

import pytest

from tests.selection.tables import LIBRARIES


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param
