"""From tables to numbers and figures; nothing here loads torch."""
