"""Holdfast: take hold of cloud resources that already exist, verify them, and only then manage them."""

__version__ = "0.1.0"
