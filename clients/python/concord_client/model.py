"""Entities by the names of a vocabulary, as `concord types --python` makes their classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime, timezone
from enum import Enum
from typing import Any, ClassVar, TypeAlias
from urllib.parse import quote

from .errors import InvalidEntity

LONGEST_INDEXED = 2_000


class Unset(Enum):
    """Of a field that nothing is said of; None takes back what there is."""

    UNSET = "UNSET"


UNSET = Unset.UNSET


@dataclass(frozen=True)
class Text:
    """Text with its language, a BCP 47 tag."""

    value: str
    language: str


@dataclass(frozen=True)
class Ref:
    """An entity by its id."""

    id: str


Link: TypeAlias = "Ref | Entity"
"""What a link points at: an id, or an entity of which only the key counts."""


@dataclass(frozen=True)
class FieldModel:
    """What must be known of a field. Without a scalar it is a link to `target`."""

    name: str
    scalar: str | None = None
    target: str | None = None
    many: bool = False
    indexed: bool = False
    inverse: bool = False


@dataclass(frozen=True)
class ClassModel:
    """What must be known of a class; the key and the fields by the names of attributes."""

    name: str
    iri: str
    plural: str
    key: tuple[str, ...]
    fields: Mapping[str, FieldModel]


class Entity:
    """What the classes of a vocabulary have in common."""

    model: ClassVar[ClassModel]

    def key(self) -> dict[str, str | int]:
        """The values of the class's key. Raises InvalidEntity where one is missing."""
        model = self.model
        if not model.key:
            raise InvalidEntity(f"{model.name} has no key in the vocabulary: give an id")
        values: dict[str, str | int] = {}
        for attribute in model.key:
            value = getattr(self, attribute)
            if value is UNSET or value is None or value == "":
                raise InvalidEntity(f"{model.name}.{attribute} is of the key, and missing")
            field = model.fields[attribute]
            values[field.name] = literal(field, value, f"{model.name}.{attribute}")
        return values

    def id(self) -> str:
        """The id of the entity of this key, as the service makes it."""
        return id_of_key(self.model.iri, self.key())

    def wire(self, id: str | None = None) -> dict[str, Any]:
        """The entity as `knowledge/update` takes it, checked. Raises InvalidEntity."""
        model = self.model
        which = {"key": self.key()} if id is None else {"id": id}
        said = {}
        for each in fields(self):  # type: ignore[arg-type]
            value = getattr(self, each.name)
            if value is UNSET or (id is None and each.name in model.key):
                continue
            said[model.fields[each.name].name] = field_value(model, each.name, value)
        return {"class": model.name, **which, **({"fields": said} if said else {})}


def field_value(model: ClassModel, attribute: str, value: Any) -> Any:
    """A field's value as it is sent. Raises InvalidEntity."""
    path = f"{model.name}.{attribute}"
    field = model.fields.get(attribute)
    if field is None or field.inverse:
        raise InvalidEntity(f"{path} is no field that can be stated")
    if value is None:
        return None
    one = literal if field.scalar else reference
    if not isinstance(value, Sequence) or isinstance(value, str):
        return one(field, value, path)
    if not field.many:
        raise InvalidEntity(f"{path} is a list, but the field takes one value")
    return [one(field, each, f"{path}[{index}]") for index, each in enumerate(value)]


def reference(field: FieldModel, value: Any, path: str) -> dict[str, Any]:
    if isinstance(value, Ref):
        return {"id": value.id}
    if isinstance(value, Entity) and value.model.name == field.target:
        return {"key": value.key()}
    raise InvalidEntity(f"{path} is neither a Ref nor a {field.target}")


def literal(field: FieldModel, value: Any, path: str) -> Any:
    if isinstance(value, Text) and field.scalar == "String":
        return {"value": value.value, "language": value.language}
    if not FITS[field.scalar or ""](value):
        raise InvalidEntity(f"{path} is not {DESCRIPTIONS[field.scalar or '']}")
    if field.indexed and isinstance(value, str) and len(value) > LONGEST_INDEXED:
        raise InvalidEntity(f"{path} is longer than the {LONGEST_INDEXED} characters of an indexed field")
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else value


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


FITS: dict[str, Callable[[Any], bool]] = {
    "String": lambda value: isinstance(value, str),
    "ID": lambda value: isinstance(value, str),
    "Int": lambda value: is_number(value) and isinstance(value, int) and -(2**31) <= value < 2**31,
    "Float": is_number,
    "Boolean": lambda value: isinstance(value, bool),
    "DateTime": lambda value: isinstance(value, datetime) and value.tzinfo is not None,
    "Date": lambda value: isinstance(value, date) and not isinstance(value, datetime),
}
DESCRIPTIONS = {
    "String": "text",
    "ID": "text",
    "Int": "a whole number from -2147483648 to 2147483647",
    "Float": "a number",
    "Boolean": "True or False",
    "DateTime": "a datetime with its time zone",
    "Date": "a date",
}


def id_of_key(class_iri: str, key: Mapping[str, str | int]) -> str:
    """The id of an entity by its key, in the order of the vocabulary: docs/update.md, "Keys"."""
    pairs = (f"{quote(name, safe='')}={quote(str(value), safe='')}" for name, value in key.items())
    return f"{class_iri}?{'&'.join(pairs)}"
