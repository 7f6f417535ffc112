"""crediblenet beside other programs, on the same data: ``python -m benchmarks.peers``.

The flow: `exhaustive`, `gaussian`, `local_search`, `sampled` (one comparison each: make the
task, let the peer do it, do it with crediblenet, compare) -> `process` (a peer runs in a
process and an interpreter of its own, `programs`) -> `rows` (a CSV file per comparison) ->
`page` (a section of docs/benchmarks.md).
"""
