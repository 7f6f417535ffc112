"""The tables and the figure of the paper, measured again: ``python -m benchmarks.paper``.

The paper is Liao, Sharma, Cussens & van Beek, "Finding All Bayesian Network Structures within
a Factor of Optimal" (AAAI 2019). The flow: `jobs` (what to run) -> `runner` (each job in a
process of its own, `measure`) -> `results` (CSV, appended as jobs end) -> `verdict` (against
the paper's figures, `published`) -> `table1`, `table2`, `figure1`, `peer`, `parent_bound`
(Markdown) -> `page` (docs/benchmarks.md).
"""
