import json
import unittest

from concord_client.calls import EventReader

AWKWARD = "a\u2028b\u2029c\u0085d\u00e9\U0001f600"


def event(id: int, data: object) -> str:
    return f"id: {id}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


class Events(unittest.TestCase):
    def test_a_value_may_hold_what_python_takes_for_the_end_of_a_line(self):
        [data] = EventReader().events_in(event(1, AWKWARD))
        self.assertEqual(json.loads(data), AWKWARD)

    def test_events_are_the_same_however_the_text_is_cut_and_lines_end(self):
        for end in ("\n", "\r\n", "\r"):
            text = (": hello\n\n" + event(1, "x") + event(2, AWKWARD) + event(2, "again") + "\n").replace("\n", end)
            for size in (1, 2, 3, len(text)):
                reader = EventReader()
                pieces = [text[at : at + size] for at in range(0, len(text), size)]
                found = [json.loads(data) for piece in pieces for data in reader.events_in(piece)]
                self.assertEqual((found, reader.last_id), (["x", AWKWARD], "2"))

    def test_half_an_event_of_a_connection_that_broke_is_not_part_of_the_next(self):
        text = event(2, "second")
        for cut in range(len(text)):
            reader = EventReader("1")
            seen = list(reader.events_in(text[:cut]))
            reader.begin()
            seen += reader.events_in(text)
            self.assertEqual(seen, ['"second"'])
