"""Why a call failed."""

from __future__ import annotations

from typing import Any


class ConcordError(Exception):
    """What the service answered instead of a result; `docs/errors.md` has every reason."""

    def __init__(self, message: str, code: int | None = None, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data or {}

    @property
    def reason(self) -> str | None:
        """Stable, lower case."""
        return self.data.get("reason")

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return self.data.get("retryable") is True


class TransportError(ConcordError):
    """The service was not reached, or what answered is not a service of this protocol."""


class InvalidEntity(ValueError):
    """What the vocabulary doesn't have, or a value that doesn't fit. Nothing was sent."""
