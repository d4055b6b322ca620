"""Deliberate faults in the package, planted one at a time: do the property tests notice?"""
