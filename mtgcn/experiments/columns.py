"""Columns of the tables that an experiment writes and an analysis reads, for who reads them without an engine."""

ENERGIES = ("dirichlet_energy", "normalised_dirichlet_energy", "squared_norm")
# What `smoothing.Gauge` measures of an embedding.
MEASURES = (*ENERGIES, "mad_neighbours", "mad_remote", "effective_rank", "dead_units")
NORMS = ("gradient_norm", "weight_norm")
# What `recorder.Recorder` writes: a row for each run, epoch and layer.
MEASURED = ["network", "seed", "epoch", "best", "layer", *MEASURES, *NORMS]
# What `embedding_maps` writes: a row for each node of a run.
MAPPED = ["network", "hidden_layers", "seed", "node", "label", "x", "y"]
