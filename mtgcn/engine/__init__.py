"""Why it is fast: runs as copies of the graph, sparse products, dropout bits, only the part of a graph that counts."""
