import unittest
from datetime import date, datetime, timezone

from concord_client import InvalidEntity, Ref, Text, id_of_key

from vocabulary import Airport, Block, Element, Person


class Model(unittest.TestCase):
    def test_an_entity_is_what_knowledge_update_takes(self):
        element = Element(
            symbol="Fe",
            name=Text("Eisen", "de"),
            meltingPoint=1811,
            discovered=date(1751, 2, 28),
            checkedAt=datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc),
            aliases=["ferrum"],
            block=Block(letter="d"),
            discoveredBy=Ref("urn:p"),
            number=None,
        )
        self.assertEqual(
            element.wire(),
            {
                "class": "Element",
                "key": {"symbol": "Fe"},
                "fields": {
                    "name": {"value": "Eisen", "language": "de"},
                    "number": None,
                    "meltingPoint": 1811,
                    "discovered": "1751-02-28",
                    "checkedAt": "2026-01-02T03:04:05Z",
                    "aliases": ["ferrum"],
                    "block": {"key": {"letter": "d"}},
                    "discoveredBy": {"id": "urn:p"},
                },
            },
        )

    def test_the_id_of_a_key_is_that_of_the_service(self):
        ids = {
            "a&period=1": "a%26period%3D1",
            "a\0b": "a%00b",
            "!'()*": "%21%27%28%29%2A",
            "-._~": "-._~",
            "\u00e9": "%C3%A9",
            "\U0001f600": "%F0%9F%98%80",
        }
        for symbol, encoded in ids.items():
            self.assertEqual(
                Element(symbol=symbol).id(), f"https://example.org/examples#Element?symbol={encoded}"
            )
        self.assertEqual(id_of_key("urn:c", {"letter": "d", "period": 4}), "urn:c?letter=d&period=4")

    def test_what_does_not_fit_is_told_before_it_is_sent(self):
        faulty = {
            "Element.number is not a whole number": Element(symbol="x", number="1"),  # type: ignore[arg-type]
            "Element.number is not": Element(symbol="x", number=True),
            "Element.meltingPoint is not a number": Element(symbol="x", meltingPoint=float("nan")),
            "Element.checkedAt is not": Element(symbol="x", checkedAt=datetime(2026, 1, 1)),
            "Element.discovered is not a date": Element(symbol="x", discovered="1751-02-28"),  # type: ignore[arg-type]
            "Element.name is a list": Element(symbol="x", name=["a"]),  # type: ignore[arg-type]
            "Element.aliases[1] is not text": Element(symbol="x", aliases=["a", 1]),  # type: ignore[list-item]
            "Element.block is neither a Ref nor a Block": Element(symbol="x", block=Airport(iata="x")),
            "Element.symbol is of the key, and missing": Element(name="x"),
            "Person has no key": Person(name="x"),
            "Element.symbol is longer": Element(symbol="x" * 2_001),
        }
        for message, entity in faulty.items():
            with self.assertRaises(InvalidEntity) as raised:
                entity.wire()
            self.assertIn(message, str(raised.exception))
