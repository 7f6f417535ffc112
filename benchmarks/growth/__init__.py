"""How seconds, nodes and memory grow: ``python -m benchmarks.growth``.

`runs` says what is measured and measures it, each run in a process of its own; `page` fits
exponents and draws. Against the number of variables, the number of rows, epsilon and the
number of threads, on data drawn from random networks and on parts of the paper's data.
"""
