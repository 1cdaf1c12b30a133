"""Secrets in what a service says: a refusal may quote what it was given."""

from __future__ import annotations

import json
from urllib.parse import quote, quote_plus

from holdfast.core.messages import HIDDEN
from holdfast.model.json import get_path, walk_leaves
from holdfast.runtime.ports import Subject


def without_secrets(subject: Subject, text: str) -> str:
    """A service may quote in its refusal what it was given."""
    for path in subject.kind.sensitive_paths:
        for _, value in walk_leaves(get_path(subject.spec, path)):
            for word in value if isinstance(value, list) else [value]:
                if isinstance(word, str) and len(word) > 3:
                    for form in (word, json.dumps(word)[1:-1], repr(word)[1:-1], quote(word, safe=""), quote_plus(word)):
                        text = text.replace(form, HIDDEN)
    return text
