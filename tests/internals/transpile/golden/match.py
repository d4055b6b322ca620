def area(shape, size):
    match shape:
        case "square":
            return size * size
        case "circle" | "disc" if size > 0:
            result = 3.14 * size * size
        case _:
            result = 0.0
    return result


def step(state):
    match state:
        case (0, position) | {"at": position}:
            return position
        case (count, position) if count > position:
            return count
    return 0
