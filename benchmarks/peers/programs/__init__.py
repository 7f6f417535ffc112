"""One program per peer, each for an interpreter that need not have crediblenet.

Each reads a task in JSON from its first argument and prints what it found as one line of
JSON: always with the ``version`` of the peer and the ``seconds`` that it took.
"""
