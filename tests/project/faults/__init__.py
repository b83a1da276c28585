"""The drill: faults and hostile inputs on the real commands, and what became of each.

The short form is a test; ``make drill`` is the long one, and writes the tables that the book shows.
"""
