"""From parameter files to results and pages: what is not up to date is trained, rendered and stored."""
