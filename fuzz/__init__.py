"""Fuzzing of every reader; see docs/trust.md."""
