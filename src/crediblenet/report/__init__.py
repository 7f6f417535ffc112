"""The report: results as plain data, then as one HTML page."""

from __future__ import annotations

from .collect import report_data as report_data
from .data import ReportData as ReportData
from .render import render_report as render_report
from .render import write_report as write_report

__all__ = ["ReportData", "render_report", "report_data", "write_report"]
