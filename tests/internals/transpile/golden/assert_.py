def root(x):
    assert x >= 0, "negative"
    return x**0.5
