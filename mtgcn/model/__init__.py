"""The paper: layers, tasks, encoder, heads, objective, and remedies against the loss with depth."""
