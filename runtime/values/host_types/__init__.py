"""NumPy's and Python's types that are numbers in a Program and something else to the user: dates, texts, records, bytes."""
