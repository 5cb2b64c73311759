"""The sections of the report, in their order; a new one is a file here and a line below."""

from evaluation.report.section import Section
from evaluation.report.sections import (
    calibration,
    classes,
    errors,
    forms,
    lengths,
    models,
    months,
    newsrooms,
    overview,
    remarks,
    scores,
    significance,
    speed,
    summary,
)

SECTIONS: tuple[Section, ...] = (
    summary.SECTION,
    remarks.SECTION,
    overview.SECTION,
    newsrooms.SECTION,
    significance.SECTION,
    calibration.SECTION,
    classes.SECTION,
    lengths.SECTION,
    months.SECTION,
    forms.SECTION,
    errors.SECTION,
    scores.SECTION,
    speed.SECTION,
    models.SECTION,
)
