"""Benchmarks, one module per stage; each asserts the answers that it times.

A package, so that a module may have the name of the stage's tests.
"""
