"""Seeded generators, a separate cache, and the path of the shared reference material."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from tests.kinds import kinds_of

settings.register_profile(
    "bychance", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fast", settings.get_profile("bychance"), max_examples=10)
settings.load_profile("bychance")


@pytest.fixture
def rng():
    return np.random.default_rng(20160505)


@pytest.fixture(autouse=True, scope="session")
def _cache_in_memory():
    """Keep the cache in memory, so that no test writes to the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BYCHANCE_CACHE", "off")
        yield


@pytest.fixture(scope="session")
def data_directory():
    """Find the tables that are not part of the repository, or skip the test."""
    directory = Path(os.environ.get("BYCHANCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not directory.is_dir():
        pytest.skip("the shared tables are not here; set BYCHANCE_DATA to their directory")
    return directory


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep the garbage collector from looking at modules and tests again and again: they stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Mark every test with its kinds."""
    home = Path(__file__).parent
    for item in items:
        if isinstance(item, pytest.Function) and item.path.is_relative_to(home):
            for kind in kinds_of(item.function, str(item.path.relative_to(home))):
                item.add_marker(kind)
