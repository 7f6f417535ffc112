"""The optimum once more, by two methods that share nothing with the search."""
