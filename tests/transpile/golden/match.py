def area(shape, size):
    match shape:
        case "square":
            return size * size
        case "circle" | "disc" if size > 0:
            result = 3.14 * size * size
        case _:
            result = 0.0
    return result
