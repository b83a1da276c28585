"""Search files that take seconds."""

TOY = """
dataset: toy
settings: {epochs: 12}
grid:
  AE: {weight: [1, 10, 100], nodes: [labelled, all]}
  FR: {weight: [1, 10, 100], nodes: all, size: [20, 60], reconstruct: [full, partial]}
  ER: {weight: [0.1, 1, 10], nodes: all, size: [2, 4], reconstruct: [full, partial]}
screening: {FR: [10], ER: [1]}
combined: {AE+FR: [-1, 0, 1], AE+FR+ER: [0]}
runs: 2
best_runs: 4
batch: 5
"""
