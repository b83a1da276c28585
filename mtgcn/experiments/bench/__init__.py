"""How fast the engine is, as ratios against named peers that are measured in the same process."""
