"""AWS: botocore's models on the wire, kinds' YAML for everything else."""
