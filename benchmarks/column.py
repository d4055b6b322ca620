"""A column of air in about 200 lines of array expressions: no control flow, so that NumPy and JAX run the same text."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator

SIZES = {"small": 16, "large": 64}


def column(temperature, vapour, cloud, rain, ice, pressure, wind_u, wind_v, height, step):
    """One step of radiation, turbulence, condensation, rain and wind in a column of air."""
    # Constants of air and water.
    gravity = 9.80665
    gas = 287.04
    gas_vapour = 461.5
    heat = 1004.64
    latent = 2.501e6
    latent_ice = 2.834e6
    kappa = gas / heat
    epsilon = gas / gas_vapour
    reference = 1.0e5
    stefan = 5.670374e-8
    karman = 0.4

    # The state in other variables.
    exner = (pressure / reference) ** kappa
    theta = temperature / exner
    virtual = temperature * (1.0 + (1.0 / epsilon - 1.0) * vapour - cloud - rain - ice)
    density = pressure / (gas * virtual)
    thickness = height[1:] - height[:-1]
    middle = 0.5 * (height[1:] + height[:-1])
    mean_density = 0.5 * (density[1:] + density[:-1])

    # Saturation over water and over ice.
    celsius = temperature - 273.15
    over_water = 611.2 * np.exp(17.67 * celsius / (celsius + 243.5))
    over_ice = 611.2 * np.exp(21.87 * celsius / (celsius + 265.5))
    saturation = epsilon * over_water / (pressure - (1.0 - epsilon) * over_water)
    saturation_ice = epsilon * over_ice / (pressure - (1.0 - epsilon) * over_ice)
    humidity = vapour / saturation
    slope = saturation * 17.67 * 243.5 / (celsius + 243.5) ** 2
    slope_ice = saturation_ice * 21.87 * 265.5 / (celsius + 265.5) ** 2

    # How much is ice: between -23 degrees and 0.
    frozen = np.clip((273.15 - temperature) / 23.0, 0.0, 1.0)
    frozen = frozen * frozen * (3.0 - 2.0 * frozen)
    mixed = (1.0 - frozen) * saturation + frozen * saturation_ice
    mixed_slope = (1.0 - frozen) * slope + frozen * slope_ice
    mixed_latent = (1.0 - frozen) * latent + frozen * latent_ice

    # Condensation, in one step of Newton's.
    excess = vapour - mixed
    condensed = excess / (1.0 + mixed_latent / heat * mixed_slope)
    condensed = np.maximum(condensed, -(cloud + ice))
    to_ice = condensed * frozen
    to_cloud = condensed - to_ice
    vapour_1 = vapour - condensed
    cloud_1 = np.maximum(cloud + to_cloud, 0.0)
    ice_1 = np.maximum(ice + to_ice, 0.0)
    theta_1 = theta + mixed_latent / heat * condensed / exner

    # Part of the layer that is covered by cloud.
    critical = 0.75
    cover = np.clip((humidity - critical) / (1.0 - critical), 0.0, 1.0) ** 2
    cover = np.where(cloud_1 + ice_1 > 1e-12, cover, 0.0)
    in_cloud = cloud_1 / np.maximum(cover, 0.01)

    # Rain: cloud water that grows together, and what it collects.
    threshold = 5.0e-4
    growth = 1.0e-3 * (1.0 - np.exp(-((in_cloud / threshold) ** 2)))
    conversion = growth * cloud_1
    collection = 2.2 * cloud_1 * np.maximum(rain, 0.0) ** 0.875
    gained = np.minimum((conversion + collection) * step, cloud_1)
    cloud_2 = cloud_1 - gained
    rain_1 = rain + gained

    # Rain that evaporates below the clouds.
    ventilation = 1.6 + 124.9 * np.maximum(density * rain_1, 0.0) ** 0.2046
    deficit = np.maximum(1.0 - vapour_1 / saturation, 0.0)
    water = np.maximum(density * rain_1, 0.0) ** 0.525
    resistance = 5.4e5 + 2.55e6 / (pressure * saturation)
    evaporation = deficit * ventilation * water / (resistance * density)
    evaporated = np.minimum(evaporation * step, rain_1)
    rain_2 = rain_1 - evaporated
    vapour_2 = vapour_1 + evaporated
    theta_2 = theta_1 - latent / heat * evaporated / exner

    # Ice that melts, and ice that falls out.
    melting = np.clip((temperature - 273.15) / 2.0, 0.0, 1.0)
    melted = ice_1 * melting
    ice_2 = ice_1 - melted
    rain_3 = rain_2 + melted
    theta_3 = theta_2 - (latent_ice - latent) / heat * melted / exner
    ice_speed = 3.29 * np.maximum(density * ice_2, 0.0) ** 0.16
    ice_flux = density * ice_2 * ice_speed
    rain_speed = 36.34 * np.maximum(density * rain_3 * 1e-3, 0.0) ** 0.1346 * np.sqrt(density[0] / density)
    rain_flux = density * rain_3 * np.minimum(rain_speed, 12.0)

    # What falls from a layer into the one below it.
    ice_loss = (ice_flux[1:] - ice_flux[:-1]) / (mean_density * thickness)
    rain_loss = (rain_flux[1:] - rain_flux[:-1]) / (mean_density * thickness)
    ice_fall = np.concatenate([ice_loss, -ice_flux[-1:] / (density[-1:] * thickness[-1:])])
    rain_fall = np.concatenate([rain_loss, -rain_flux[-1:] / (density[-1:] * thickness[-1:])])
    ice_3 = np.maximum(ice_2 + step * ice_fall, 0.0)
    rain_4 = np.maximum(rain_3 + step * rain_fall, 0.0)
    at_ground = (rain_flux[0] + ice_flux[0]) * step

    # Long waves: emissivities of vapour and cloud, fluxes up and down.
    path = vapour_2 * density * np.concatenate([thickness, thickness[-1:]])
    emissivity = 1.0 - np.exp(-0.6 * np.sqrt(np.maximum(path, 1e-12)))
    cloud_path = (cloud_2 + 0.5 * ice_3) * density * np.concatenate([thickness, thickness[-1:]])
    cloud_emissivity = 1.0 - np.exp(-150.0 * cloud_path)
    total_emissivity = 1.0 - (1.0 - emissivity) * (1.0 - cover * cloud_emissivity)
    emitted = stefan * temperature**4
    transmission = 1.0 - total_emissivity
    depth = np.cumsum(-np.log(np.maximum(transmission, 1e-6)))
    above = depth[-1] - depth
    up = emitted[0] * np.exp(-depth) + np.cumsum(emitted * total_emissivity) * np.exp(-0.5 * depth)
    down = np.cumsum((emitted * total_emissivity)[::-1])[::-1] * np.exp(-0.5 * above)
    net = up - down
    cooling = -(net[1:] - net[:-1]) / (mean_density * heat * thickness)
    long_wave = np.concatenate([cooling, cooling[-1:]])

    # Short waves, from the top down.
    sun = 1361.0 * 0.5
    absorbed_path = 0.29 * path / ((1.0 + 1.415 * path) ** 0.635 + 0.0592 * path)
    scattered = cover * 7.7 * cloud_path / (1.0 + 7.7 * cloud_path)
    reaching = sun * np.exp(-np.cumsum((absorbed_path + scattered)[::-1])[::-1])
    absorbed = reaching * (1.0 - np.exp(-absorbed_path))
    short_wave = absorbed / (density * heat * np.concatenate([thickness, thickness[-1:]]))
    theta_4 = theta_3 + step * (long_wave + 0.1 * short_wave) / exner

    # Turbulence: a mixing length, Richardson's number, what it does to the diffusivities.
    shear_u = (wind_u[1:] - wind_u[:-1]) / thickness
    shear_v = (wind_v[1:] - wind_v[:-1]) / thickness
    shear = np.sqrt(shear_u**2 + shear_v**2 + 1e-10)
    theta_v = theta_4 * (1.0 + 0.61 * vapour_2)
    mean_theta_v = 0.5 * (theta_v[1:] + theta_v[:-1])
    buoyancy = gravity / mean_theta_v * (theta_v[1:] - theta_v[:-1]) / thickness
    richardson = buoyancy / shear**2
    length = karman * middle / (1.0 + karman * middle / 150.0)
    stable = 1.0 / (1.0 + 10.0 * np.maximum(richardson, 0.0)) ** 2
    unstable = np.sqrt(1.0 - 16.0 * np.minimum(richardson, 0.0))
    stability = np.where(richardson > 0.0, stable, unstable)
    diffusivity = length**2 * shear * stability
    diffusivity_heat = diffusivity * np.where(richardson > 0.0, 1.0, 1.35)
    limit = 0.2 * thickness**2 / step
    diffusivity = np.minimum(diffusivity, limit)
    diffusivity_heat = np.minimum(diffusivity_heat, limit)

    # Fluxes between the layers, and at the ground.
    speed = np.sqrt(wind_u[0] ** 2 + wind_v[0] ** 2 + 0.01)
    drag = (karman / np.log(middle[0] / 0.1)) ** 2
    stress_u = drag * speed * wind_u[0]
    stress_v = drag * speed * wind_v[0]
    flux_theta = diffusivity_heat * (theta_4[1:] - theta_4[:-1]) / thickness
    flux_vapour = diffusivity_heat * (vapour_2[1:] - vapour_2[:-1]) / thickness
    flux_cloud = diffusivity_heat * (cloud_2[1:] - cloud_2[:-1]) / thickness
    flux_u = diffusivity * shear_u
    flux_v = diffusivity * shear_v
    ground_heat = 0.0012 * speed * (theta_4[0] + 1.0 - theta_4[0])
    ground_vapour = 0.0012 * speed * np.maximum(saturation[0] - vapour_2[0], 0.0)
    layer = np.concatenate([thickness[:1], 0.5 * (thickness[1:] + thickness[:-1]), thickness[-1:]])
    top = np.zeros(1)
    theta_5 = theta_4 + step * np.diff(np.concatenate([-ground_heat * np.ones(1), flux_theta, top])) / layer
    vapour_3 = vapour_2 + step * np.diff(np.concatenate([-ground_vapour * np.ones(1), flux_vapour, top])) / layer
    cloud_3 = cloud_2 + step * np.diff(np.concatenate([top, flux_cloud, top])) / layer
    wind_u_1 = wind_u + step * np.diff(np.concatenate([stress_u * np.ones(1), flux_u, top])) / layer
    wind_v_1 = wind_v + step * np.diff(np.concatenate([stress_v * np.ones(1), flux_v, top])) / layer

    # The earth turns, and the wind with it.
    coriolis = 1.0e-4 * step
    turned_u = (wind_u_1 + coriolis * wind_v_1) / (1.0 + coriolis**2)
    turned_v = (wind_v_1 - coriolis * wind_u_1) / (1.0 + coriolis**2)

    # What is negative is filled from the layer's vapour, and the totals are taken.
    cloud_4 = np.maximum(cloud_3, 0.0)
    vapour_4 = vapour_3 - (cloud_4 - cloud_3)
    temperature_1 = theta_5 * exner
    static = heat * temperature_1 + gravity * height
    moist = static + latent * vapour_4
    mass = density * layer
    energy = (mass * (moist + 0.5 * (turned_u**2 + turned_v**2))).sum()
    water_path = (mass * (vapour_4 + cloud_4 + rain_4 + ice_3)).sum()
    albedo = 1.0 - np.prod(1.0 - scattered)
    warmest = temperature_1.max()
    return (
        temperature_1,
        vapour_4,
        cloud_4,
        rain_4,
        ice_3,
        turned_u,
        turned_v,
        at_ground,
        energy,
        water_path,
        albedo,
        warmest,
    )


def arguments(size: str):
    """A column at rest, moist below."""
    rng, n = generator(), SIZES[size]
    height = np.linspace(20.0, 12_000.0, n)
    pressure = 1.0e5 * np.exp(-height / 8000.0)
    temperature = 295.0 - 6.5e-3 * height + 0.1 * rng.standard_normal(n)
    vapour = 0.014 * np.exp(-height / 2500.0)
    wind = 5.0 + 1e-3 * height
    small = 1e-5 * rng.random(n)
    return temperature, vapour, small, small / 2, small / 4, pressure, wind, 0.3 * wind, height, 10.0
