import numpy as np


def helper(x):
    return x if x else 1


class Model:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return self.scale * helper(x)


def calls(model, x, *more, **named):
    values = np.sin(x).sum() + np.float64(x)
    return model(helper(x), *more, **named) + len([values]) + max(x, 0)
