"""Made by `concord types --python` from the vocabulary; made anew rather than changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import ClassVar

from concord_client import UNSET, ClassModel, Entity, FieldModel, Link, Text, Unset


@dataclass(kw_only=True)
class Element(Entity):
    """A chemical element. <https://example.org/examples#Element>"""

    symbol: str | Text | None | Unset = UNSET
    name: str | Text | None | Unset = UNSET
    number: int | None | Unset = UNSET
    meltingPoint: float | None | Unset = UNSET
    discovered: date | None | Unset = UNSET
    checkedAt: datetime | None | Unset = UNSET
    radioactive: bool | None | Unset = UNSET
    aliases: str | Text | Sequence[str | Text] | None | Unset = UNSET
    block: Link | None | Unset = UNSET
    discoveredBy: Link | Sequence[Link] | None | Unset = UNSET

    model: ClassVar[ClassModel] = ClassModel(
        name="Element",
        iri="https://example.org/examples#Element",
        plural="elements",
        key=("symbol",),
        fields={
            "symbol": FieldModel("symbol", scalar="String", indexed=True),
            "name": FieldModel("name", scalar="String"),
            "number": FieldModel("number", scalar="Int", indexed=True),
            "meltingPoint": FieldModel("meltingPoint", scalar="Float"),
            "discovered": FieldModel("discovered", scalar="Date"),
            "checkedAt": FieldModel("checkedAt", scalar="DateTime"),
            "radioactive": FieldModel("radioactive", scalar="Boolean"),
            "aliases": FieldModel("aliases", scalar="String", many=True),
            "block": FieldModel("block", target="Block"),
            "discoveredBy": FieldModel("discoveredBy", target="Person", many=True),
        },
    )


@dataclass(kw_only=True)
class Block(Entity):
    """Elements whose outermost electrons fill orbitals of one kind. <https://example.org/examples#Block>"""

    letter: str | None | Unset = UNSET

    model: ClassVar[ClassModel] = ClassModel(
        name="Block",
        iri="https://example.org/examples#Block",
        plural="blocks",
        key=("letter",),
        fields={
            "letter": FieldModel("letter", scalar="ID"),
            "elements": FieldModel("elements", target="Element", many=True, inverse=True),
        },
    )


@dataclass(kw_only=True)
class Person(Entity):
    """Person. <https://example.org/examples#Person>"""

    name: str | Text | None | Unset = UNSET

    model: ClassVar[ClassModel] = ClassModel(
        name="Person",
        iri="https://example.org/examples#Person",
        plural="people",
        key=(),
        fields={
            "name": FieldModel("name", scalar="String"),
            "discoveries": FieldModel("discoveries", target="Element", many=True, inverse=True),
        },
    )


@dataclass(kw_only=True)
class Airport(Entity):
    """Airport. <https://example.org/examples#Airport>"""

    iata: str | Text | None | Unset = UNSET
    name: str | Text | None | Unset = UNSET
    elevation: int | None | Unset = UNSET
    latitude: float | None | Unset = UNSET
    longitude: float | None | Unset = UNSET
    opened: date | None | Unset = UNSET
    country: Link | None | Unset = UNSET
    flightsTo: Link | Sequence[Link] | None | Unset = UNSET

    model: ClassVar[ClassModel] = ClassModel(
        name="Airport",
        iri="https://example.org/examples#Airport",
        plural="airports",
        key=("iata",),
        fields={
            "iata": FieldModel("iata", scalar="String", indexed=True),
            "name": FieldModel("name", scalar="String"),
            "elevation": FieldModel("elevation", scalar="Int", indexed=True),
            "latitude": FieldModel("latitude", scalar="Float"),
            "longitude": FieldModel("longitude", scalar="Float"),
            "opened": FieldModel("opened", scalar="Date"),
            "country": FieldModel("country", target="Country"),
            "flightsTo": FieldModel("flightsTo", target="Airport", many=True),
            "flightsFrom": FieldModel("flightsFrom", target="Airport", many=True, inverse=True),
        },
    )


@dataclass(kw_only=True)
class Country(Entity):
    """Country. <https://example.org/examples#Country>"""

    code: str | None | Unset = UNSET
    name: str | Text | None | Unset = UNSET

    model: ClassVar[ClassModel] = ClassModel(
        name="Country",
        iri="https://example.org/examples#Country",
        plural="countries",
        key=("code",),
        fields={
            "code": FieldModel("code", scalar="ID"),
            "name": FieldModel("name", scalar="String"),
            "airports": FieldModel("airports", target="Airport", many=True, inverse=True),
        },
    )


@dataclass(kw_only=True)
class Book(Entity):
    """Book. <https://example.org/examples#Book>"""

    isbn: str | None | Unset = UNSET
    title: str | Text | None | Unset = UNSET
    published: date | None | Unset = UNSET
    authors: Link | Sequence[Link] | None | Unset = UNSET

    model: ClassVar[ClassModel] = ClassModel(
        name="Book",
        iri="https://example.org/examples#Book",
        plural="books",
        key=("isbn",),
        fields={
            "isbn": FieldModel("isbn", scalar="ID"),
            "title": FieldModel("title", scalar="String"),
            "published": FieldModel("published", scalar="Date"),
            "authors": FieldModel("authors", target="Author", many=True),
        },
    )


@dataclass(kw_only=True)
class Author(Entity):
    """Author. <https://example.org/examples#Author>"""

    name: str | Text | None | Unset = UNSET

    model: ClassVar[ClassModel] = ClassModel(
        name="Author",
        iri="https://example.org/examples#Author",
        plural="authors",
        key=("name",),
        fields={
            "name": FieldModel("name", scalar="String"),
            "books": FieldModel("books", target="Book", many=True, inverse=True),
        },
    )
