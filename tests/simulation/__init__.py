"""The engine, a user, a GitOps tool and a misbehaving cloud on virtual time, from a seed. A failing seed replays exactly."""
