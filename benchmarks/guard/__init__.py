"""Has anything become slower? ``python -m benchmarks.guard check`` or ``accept``.

`tasks` are short, typical runs on data that are made, not read, so that they are there
everywhere. `measure` gives their CPU seconds as ratios to a calibration loop, which makes
machines comparable; `accepted` keeps the ratios of the last accepted run beside the results.
"""
