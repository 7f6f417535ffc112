"""How long scoring takes, and how its work grows with variables, rows and epsilon.

``python -m benchmarks.scoring`` measures the growth and draws ``docs/images/scoring-growth.png``;
``benchmarks/test_scores.py`` asserts the promised answers and times.
"""
