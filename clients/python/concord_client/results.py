"""What the service answers."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class QueryResult:
    """The data of a query, and how it came about."""

    data: Any
    metadata: dict[str, Any]


@dataclass(frozen=True)
class UpdateResult:
    """What became of an update. One that the rules reject is an answer, not an error."""

    success: bool
    statementsAffected: int
    affectedIds: list[str]
    verificationStatus: str
    verificationDetails: str | None = None
    violations: list[dict[str, Any]] = field(default_factory=list)
    updateId: str | None = None
    revision: int | None = None


@dataclass(frozen=True)
class Change:
    """A change as it was committed. `changeMetadata["sequence"]` is the cursor."""

    op: str
    statement: dict[str, Any]
    changeId: str
    timestamp: str
    changeMetadata: dict[str, Any]


def made(kind: type[Result], answer: dict[str, Any]) -> Result:
    """What a newer service answers beyond these fields is left out."""
    names = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in answer.items() if name in names})
