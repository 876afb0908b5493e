"""Every exact test vector of the handbook: estimates, moments, tails and quantiles to ten digits."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import bychance as bc
from bychance.measures import registry
from bychance.measures.structures import CellSum, TraceForm
from bychance.pair import prepare_pair
from bychance.read_column import read_column
from tests.engine.nulls import moments_of

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text())
X = [1, 2, 4, 7, 11, 16, 22]
Y = [3, 1, 4, 1, 5, 9, 2]
G = list("aaabbcc")
X2, Y2 = [1, 1, 2, 2, 2, 3, 4], [0, 0, 0, 1, 1, 2, 2]
TABLE = [[3, 1, 0], [0, 2, 1], [1, 1, 3]]
A = [str(i) for i in range(3) for j in range(3) for _ in range(TABLE[i][j])]
B = [str(j) for i in range(3) for j in range(3) for _ in range(TABLE[i][j])]
LN2 = np.log(2)


def moments(measure, x, y):
    """Return all moments that the algebra of the pair gives."""
    pair = prepare_pair(registry.resolve(measure), read_column(x, "x"), read_column(y, "y"))
    return moments_of(pair.measure, pair.x, pair.y)[0]


def third(measure, x, y):
    """Compute the third central moment over the whole law, by algebra or from exact tables."""
    pair = prepare_pair(registry.resolve(measure), read_column(x, "x"), read_column(y, "y"))
    structure = pair.measure.structures(pair.x, pair.y)[0]
    if isinstance(structure, TraceForm):
        return moments_of(pair.measure, pair.x, pair.y)[0].third
    assert isinstance(structure, CellSum)
    null = bc.adjust(measure, x, y, null="exact").null
    weights = null.tails - np.append(null.tails[1:], 0.0)
    return float(weights @ (null.values - null.mean) ** 3)


def exact(measure, x, y):
    return bc.adjust(measure, x, y, null="exact")


def balanced(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def shuffled_halves(n=100):
    return np.arange(n) % 2


def gini_paper(sizes):
    return bc.adjust("gini", balanced(sizes), shuffled_halves(), null="paper").null


def gini_exact(sizes):
    return bc.adjust("gini", balanced(sizes), shuffled_halves(), null="exact").null


def beta_quantile(n, p):
    return bc.adjust("r2", np.arange(n), np.arange(n) ** 2, null="normal").null.quantile(p)


UNTIED = list(range(7))
PAPER_NULL = bc.adjust("gini", A, B, null="paper").null

COMPUTED = {
    "r2.mean": lambda: moments("r2", X, Y).mean,
    "r2.var": lambda: moments("r2", X, Y).variance,
    "r2.mu3": lambda: third("r2", X, Y),
    "r2.attainable_max": lambda: bc.adjust("r2", X, Y, bound="attainable").bound,
    "r2.observed": lambda: bc.measure("r2", X, Y),
    "r2.sf_ge_observed": lambda: exact("r2", X, Y).p_value,
    "rho2.mean": lambda: moments("spearman", X, Y).mean,
    "rho2.var": lambda: moments("spearman", X, Y).variance,
    "rho2.mu3": lambda: third("spearman", X, Y),
    "rho2.attainable_max": lambda: bc.adjust("spearman", X, Y, bound="attainable").bound,
    "rho2.observed": lambda: bc.measure("spearman", X, Y),
    "rho2.sf_ge_observed": lambda: exact("spearman", X, Y).p_value,
    "taub2_A.mean": lambda: moments("kendall", X, Y).mean,
    "taub2_A.var": lambda: moments("kendall", X, Y).variance,
    "taub2_B.mean": lambda: moments("kendall", X2, Y2).mean,
    "taub2_B.var": lambda: moments("kendall", X2, Y2).variance,
    "xi_noties_n7.var": lambda: moments("xi", X, UNTIED).variance,
    "xi_y.var": lambda: moments("xi", X, Y).variance,
    "xi_y.max": lambda: bc.adjust("xi", X, Y).bound,
    "xi_y.observed(x order)": lambda: bc.measure("xi", X, Y),
    "eta2(g,y).mean": lambda: moments("eta2", G, Y).mean,
    "eta2(g,y).var": lambda: moments("eta2", G, Y).variance,
    "eta2(g,y).mu3": lambda: third("eta2", G, Y),
    "bcdcor.var": lambda: moments("dcor", X, Y).variance,
    "bcdcor.mu3": lambda: third("dcor", X, Y),
    "bcdcor.observed": lambda: bc.measure("dcor", X, Y),
    "gini.observed": lambda: bc.measure("gini", A, B),
    "gini.mean": lambda: moments("gini", A, B).mean,
    "gini.var": lambda: moments("gini", A, B).variance,
    "gini.mu3": lambda: third("gini", A, B),
    "gini.DG.mean": lambda: PAPER_NULL.mean,
    "gini.DG.var": lambda: PAPER_NULL.std**2,
    "gini.Adj(max=1-p2)": lambda: exact("gini", A, B).adjusted,
    "gini.Std": lambda: exact("gini", A, B).standardized,
    "gini.sf_ge_observed": lambda: exact("gini", A, B).p_value,
    "gini.quantile(.95)": lambda: exact("gini", A, B).null.quantile(0.95),
    "chi2.observed": lambda: 12 * bc.measure("phi2", A, B),
    "chi2.mean": lambda: 12 * moments("phi2", A, B).mean,
    "chi2.var": lambda: 12**2 * moments("phi2", A, B).variance,
    "chi2.mu3": lambda: 12**3 * third("phi2", A, B),
    "MI.observed(nats)": lambda: LN2 * bc.measure("mi", A, B),
    "MI.mean": lambda: LN2 * moments("mi", A, B).mean,
    "MI.var": lambda: LN2**2 * moments("mi", A, B).variance,
    "MI.mu3": lambda: LN2**3 * third("mi", A, B),
    "AMI.min": lambda: bc.adjust("mi", A, B, bound="min").adjusted,
    "AMI.arithmetic": lambda: bc.adjust("mi", A, B, bound="arithmetic").adjusted,
    "AMI.H(Y)": lambda: bc.adjust("mi", A, B, bound="target").adjusted,
    "SMI": lambda: bc.adjust("mi", A, B, null="moments").standardized,
    "RI.observed": lambda: bc.measure("rand", A, B),
    "RI.mean": lambda: moments("rand", A, B).mean,
    "RI.var": lambda: moments("rand", A, B).variance,
    "ARI": lambda: bc.adjust("rand", A, B).adjusted,
    "agreement.mean": lambda: moments("agreement", A, B).mean,
    "agreement.var": lambda: moments("agreement", A, B).variance,
    "kappa": lambda: bc.adjust("agreement", A, B).adjusted,
    "BetaQ r2 n=20 p=.6": lambda: beta_quantile(20, 0.6),
    "BetaQ r2 n=20 p=.9": lambda: beta_quantile(20, 0.9),
    "BetaQ r2 n=20 p=.95": lambda: beta_quantile(20, 0.95),
    "BetaQ r2 n=30 p=.6": lambda: beta_quantile(30, 0.6),
    "BetaQ r2 n=30 p=.9": lambda: beta_quantile(30, 0.9),
    "BetaQ r2 n=30 p=.95": lambda: beta_quantile(30, 0.95),
    "BetaQ r2 n=100 p=.6": lambda: beta_quantile(100, 0.6),
    "BetaQ r2 n=100 p=.9": lambda: beta_quantile(100, 0.9),
    "BetaQ r2 n=100 p=.95": lambda: beta_quantile(100, 0.95),
    "Ex2 DG-Cantelli(.05) (50, 50)": lambda: gini_paper([50, 50]).quantile(0.95),
    "Ex2 perm var (50, 50)": lambda: gini_exact([50, 50]).std ** 2,
    "Ex2 DG-Cantelli(.05) (34, 33, 33)": lambda: gini_paper([34, 33, 33]).quantile(0.95),
    "Ex2 perm var (34, 33, 33)": lambda: gini_exact([34, 33, 33]).std ** 2,
    "Ex2 exact q(.95) (34,33,33)x(50,50)": lambda: gini_exact([34, 33, 33]).quantile(0.95),
    "Ex2 exact q(.95) (50,50)x(50,50)": lambda: gini_exact([50, 50]).quantile(0.95),
}


def test_every_vector_is_computed():
    assert set(COMPUTED) == set(VECTORS)


@pytest.mark.parametrize("name", sorted(VECTORS))
def test_vector_is_met_to_ten_digits(name):
    vector = VECTORS[name]
    expected = float(Fraction(vector["exact"])) if vector["exact"] else float(vector["value"])

    assert COMPUTED[name]() == pytest.approx(expected, rel=1e-10)
