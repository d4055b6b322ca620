"""Ordinary differential equations: fixed and adaptive steps, events, stiff systems."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.science.table import program


@program(lambda: (np.array([1.0, 0.0]), 0.0, 0.05, 60))
def rk4_oscillator(y0, t0, dt, n):
    def rhs(t, y):
        return np.array([y[1], -y[0] - 0.1 * y[1] + 0.2 * np.cos(t)])

    y = y0.copy()
    t = t0
    out = np.empty((n + 1, 2))
    out[0] = y
    for i in range(n):
        k1 = rhs(t, y)
        k2 = rhs(t + dt / 2, y + dt / 2 * k1)
        k3 = rhs(t + dt / 2, y + dt / 2 * k2)
        k4 = rhs(t + dt, y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += dt
        out[i + 1] = y
    return t, out


@program(lambda: (10.0, 0.8, 2.0, 1e-2))
def bouncing_ball(height, restitution, t_end, dt):
    g = 9.81
    y, v, t = height, 0.0, 0.0
    bounces = []
    while t < t_end:
        y_new = y + v * dt - 0.5 * g * dt * dt
        v_new = v - g * dt
        if y_new < 0.0 and v_new < 0.0:
            # where within the step the ground is met
            frac = y / (y - y_new)
            bounces.append(t + frac * dt)
            y_new = 0.0
            v_new = -restitution * (v - g * frac * dt)
        y, v = y_new, v_new
        t += dt
    return bounces, y, v


@program(lambda: (np.array([2.0, 0.0]), 4.0, 1e-6))
def adaptive_rk45(y0, t_end, tol):
    c = [0.0, 1 / 4, 3 / 8, 12 / 13, 1.0, 1 / 2]
    a = [
        [],
        [1 / 4],
        [3 / 32, 9 / 32],
        [1932 / 2197, -7200 / 2197, 7296 / 2197],
        [439 / 216, -8.0, 3680 / 513, -845 / 4104],
        [-8 / 27, 2.0, -3544 / 2565, 1859 / 4104, -11 / 40],
    ]
    b4 = [25 / 216, 0.0, 1408 / 2565, 2197 / 4104, -1 / 5, 0.0]
    b5 = [16 / 135, 0.0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55]

    def f(t, y):
        return np.array([y[1], (1 - y[0] ** 2) * y[1] - y[0]])

    t, y, h = 0.0, y0, 0.1
    accepted = rejected = 0
    while t < t_end:
        h = min(h, t_end - t)
        k = []
        for s in range(6):
            dy = np.zeros_like(y)
            for j in range(s):
                dy = dy + a[s][j] * k[j]
            k.append(f(t + c[s] * h, y + h * dy))
        low = y + h * sum(b * ki for b, ki in zip(b4, k))
        high = y + h * sum(b * ki for b, ki in zip(b5, k))
        err = np.max(np.abs(high - low))
        if err <= tol:
            t += h
            y = high
            accepted += 1
        else:
            rejected += 1
        h *= min(4.0, max(0.1, 0.9 * (tol / (err + 1e-30)) ** 0.2))
    return y, accepted, rejected


# The energy is the same but for what the steps are wrong by: most of its digits are those of rounding.
@program(lambda: (np.array([1.0, 0.0]), np.array([0.0, 0.9]), 0.02, 150), ulps=1e5)
def leapfrog_kepler(pos, vel, dt, steps):
    def acceleration(r):
        return -r / np.linalg.norm(r) ** 3

    energy = []
    acc = acceleration(pos)
    for _ in range(steps):
        vel += 0.5 * dt * acc
        pos += dt * vel
        acc = acceleration(pos)
        vel += 0.5 * dt * acc
        energy.append(0.5 * vel @ vel - 1.0 / np.linalg.norm(pos))
    return pos, vel, max(energy) - min(energy)


@program(lambda: (1.0, 0.0, 0.0, 0.01, 20))
def robertson_implicit_euler(a, b, c, dt, steps):
    y = np.array([a, b, c])
    iterations = 0
    for _ in range(steps):
        z = y.copy()
        for it in range(25):
            f = np.array(
                [
                    -0.04 * z[0] + 1e4 * z[1] * z[2],
                    0.04 * z[0] - 1e4 * z[1] * z[2] - 3e7 * z[1] ** 2,
                    3e7 * z[1] ** 2,
                ]
            )
            jac = np.array(
                [
                    [-0.04, 1e4 * z[2], 1e4 * z[1]],
                    [0.04, -1e4 * z[2] - 6e7 * z[1], -1e4 * z[1]],
                    [0.0, 6e7 * z[1], 0.0],
                ]
            )
            delta = np.linalg.solve(np.eye(3) - dt * jac, z - y - dt * f)
            z = z - delta
            iterations += 1
            if np.max(np.abs(delta)) < 1e-9:
                break
        else:
            raise RuntimeError("Newton did not converge")
        y = z
    return y, iterations, y.sum()


@program(
    lambda: (lambda t, y: -2.0 * y + t, 1.0, 0.0, 2.0, 40), lambda: (lambda t, y: math.sin(t) * y, 1.5, 0.0, 1.0, 25)
)
def heun_of_a_callable(f, y, t, t_end, n):
    h = (t_end - t) / n
    ts, ys = [t], [y]
    for _ in range(n):
        slope = f(t, y)
        guess = y + h * slope
        y += h * (slope + f(t + h, guess)) / 2
        t += h
        ts.append(t)
        ys.append(y)
    return ts, ys


@program(lambda: ((1.0, 1.0, 1.0), 0.01, 100))
def lorenz_tuples(state, dt, steps, sigma=10.0, rho=28.0, beta=8 / 3):
    def deriv(s):
        x, y, z = s
        return sigma * (y - x), x * (rho - z) - y, x * y - beta * z

    def shifted(s, k, h):
        return tuple(si + h * ki for si, ki in zip(s, k))

    crossings = 0
    for _ in range(steps):
        k1 = deriv(state)
        k2 = deriv(shifted(state, k1, dt / 2))
        k3 = deriv(shifted(state, k2, dt / 2))
        k4 = deriv(shifted(state, k3, dt))
        new = tuple(s + dt / 6 * (p + 2 * q + 2 * r + w) for s, p, q, r, w in zip(state, k1, k2, k3, k4))
        if new[0] * state[0] < 0:
            crossings += 1
        state = new
    return state, crossings


@program(lambda: (0.0, 100.0, 0.5, 60))
def skydiver_phases(t, mass, dt, n):
    speed, height = 0.0, 1500.0
    phase = "free fall"
    log = []
    for _ in range(n):
        if phase == "free fall" and height < 900.0:
            phase = "parachute"
            log.append((phase, t))
        drag = 0.25 if phase == "free fall" else 12.0
        for _ in range(10):
            speed += (9.81 - drag * speed * abs(speed) / mass) * dt / 10
        height -= speed * dt
        t += dt
        if height <= 0:
            phase = "landed"
            log.append((phase, t))
            break
    return phase, log, speed


@program(lambda: (np.array([0.5, 0.1]), 0.05, 40))
def adams_bashforth_moulton(y, h, n):
    def f(v):
        return np.array([v[1], -np.sin(v[0])])

    history = [f(y)]
    for _ in range(3):
        k1 = f(y)
        k2 = f(y + 0.5 * h * k1)
        y = y + h * k2
        history.append(f(y))
    for _ in range(n):
        f3, f2, f1, f0 = history[-4:]
        predictor = y + h / 24 * (55 * f0 - 59 * f1 + 37 * f2 - 9 * f3)
        y = y + h / 24 * (9 * f(predictor) + 19 * f0 - 5 * f1 + f2)
        history.append(f(y))
        history.pop(0)
    return y, len(history)


@program(lambda: (0.0, 1.0, 1.0, 21), lambda: (0.5, 2.0, 0.8, 21))
def shooting_method(left, right, length, n):
    def integrate(slope):
        h = length / (n - 1)
        y, v = left, slope
        path = [y]
        for i in range(n - 1):
            x = i * h
            v += h * (y + x)
            y += h * v
            path.append(y)
        return path

    lo, hi = -10.0, 10.0
    path = []
    for _ in range(50):
        mid = 0.5 * (lo + hi)
        path = integrate(mid)
        if path[-1] > right:
            hi = mid
        else:
            lo = mid
        if hi - lo < 1e-8:
            break
    return mid, np.array(path)


@program(lambda: (0.3, 1e-3, 4000, 5))
def integrate_and_fire(current, dt, n, max_spikes):
    v_rest, v_reset, v_threshold, tau = -65.0, -70.0, -50.0, 0.02
    v = v_rest
    spikes = []
    refractory = 0
    for i in range(n):
        if refractory > 0:
            refractory -= 1
            continue
        v += dt / tau * (v_rest - v + current * 100.0)
        if v >= v_threshold:
            spikes.append(i * dt)
            v = v_reset
            refractory = 5
            if len(spikes) == max_spikes:
                break
    rate = len(spikes) / (spikes[-1] if spikes else 1.0)
    return spikes, rate, v


@program(lambda: (np.array([990.0, 10.0, 0.0]), 0.3, 0.1, 160))
def sir_until_the_peak(state, beta, gamma, days):
    s, i, r = state
    total = s + i + r
    peak_day, peak = 0, i
    for day in range(1, days + 1):
        new = beta * s * i / total
        gone = gamma * i
        s, i, r = s - new, i + new - gone, r + gone
        if i > peak:
            peak, peak_day = i, day
        elif i < 0.5 * peak:
            return {"peak": peak, "day": peak_day, "now": day, "immune": r}
    return {"peak": peak, "day": peak_day, "now": days, "immune": r}
