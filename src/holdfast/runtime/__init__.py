"""The engine's shell: ports, reconcile, execute, references, the queue, the operator."""
