"""Where graphs come from: sources, digests, formats, splits, the toy graph."""
