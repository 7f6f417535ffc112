"""What a wider node set costs: ``python -m benchmarks.width``.

A set of variables takes one 64-bit word for up to 64 variables, then two, four and eight. The
same data are scored and searched as 64 variables and as 65: columns that have a single value
stay isolated in every network, so that nearly only the width of the sets changes. What choosing
the width costs up to 64 variables is measured with a core that has nothing to choose. And a loop
over sets of one word is compared with the same loop over plain integers.
"""
