"""Functions of the standard library that take numbers known only at run time."""

from __future__ import annotations

import calendar
import datetime

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.errors import UnsupportedOperationError


def test_leap_years():
    def days_of(years):
        days = 0
        for year in years:
            days += 366 if calendar.isleap(year) else 365
        return days, calendar.leapdays(years[0], years[-1])

    years = np.arange(1890, 2110)
    assert jit(days_of)(years) == days_of(years)


def test_a_time_of_a_number_is_refused():
    @jit
    def hour_of(x):
        try:
            return datetime.datetime.fromtimestamp(x[0], datetime.UTC).hour
        except TypeError:
            return -1

    with pytest.raises(UnsupportedOperationError, match="fromtimestamp is not compiled"):
        hour_of(np.array([3600.0]))
