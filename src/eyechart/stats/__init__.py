"""Intervals, paired tests and power: they know nothing of benchmarks."""
