"""Google Cloud: discovery-driven REST."""
