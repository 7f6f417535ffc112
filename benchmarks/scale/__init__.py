"""Hundreds of variables with a parent limit: ``python -m benchmarks.scale``.

`structures` makes the networks that data are drawn from, `runs` says what is measured and
measures it, each run in a process of its own; `page` writes ``docs/scale.md`` from the rows.
"""
