"""What a wider node set costs: ``python -m benchmarks.width``.

A set of variables takes one 64-bit word for up to 64 variables, then two, four and eight. The
same data are scored and searched as they are and with columns that have a single value, which
stay isolated in every network, so that only the width of the sets changes.
"""
