"""From parameters through training to tidy tables."""
