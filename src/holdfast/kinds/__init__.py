"""Kinds: one YAML file each, their schemas (generated from the vendors' models), and the CRDs made of them."""
