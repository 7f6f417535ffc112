"""How exactly time limits are kept: ``python -m benchmarks.limits``.

The whole command is run, each time in a process of its own, on data that no search ends on in
time, and the seconds from its start to its end are compared with the limit.
"""
