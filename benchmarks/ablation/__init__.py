"""What each part contributes, found by leaving it out: ``python -m benchmarks.ablation``.

`rules` scores with each pruning rule off, `engine` searches with each part of the engine off
(`parts` says how). Every run is in a process of its own; all that end must give the same
answer. The rows are in benchmarks/results/ablation, and on docs/benchmarks.md by `page`.
"""
