"""The one place that holds the version; results, JSON and the wheel read it."""

__version__ = "0.1.0"
