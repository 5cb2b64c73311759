"""The sections of the report, in their order; a new one is a file here and a line below."""

from evaluation.report.section import Section
from evaluation.report.sections import (
    calibration,
    classes,
    errors,
    models,
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
    scores.SECTION,
    significance.SECTION,
    speed.SECTION,
    classes.SECTION,
    calibration.SECTION,
    errors.SECTION,
    models.SECTION,
)
