"""The clouds."""
