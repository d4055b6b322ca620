"""NumPy's and Python's types that are numbers in a Program and else to the user: dates, texts, records, bytes."""
