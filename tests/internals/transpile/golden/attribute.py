def same_kind(x, y):
    return x.__class__ is y.__class__
