"""Against the service at CONCORD_URL, whose vocabulary is that of examples/."""

import asyncio
import os
import threading
import unittest
import uuid
from datetime import date

import httpx
from concord_client import AsyncConcord, Concord, ConcordError, TransportError

from vocabulary import Author, Block, Book, Element

URL = os.environ["CONCORD_URL"]
ELEMENT = "query ($s: String) { elements(where: {symbol: {eq: $s}}) { name meltingPoint aliases block { letter } } }"


def named() -> str:
    return f"py{uuid.uuid4().hex[:8]}"


class Synchronous(unittest.TestCase):
    def setUp(self):
        self.concord = Concord(URL, agent_id="python")
        self.addCleanup(self.concord.close)

    def element(self, symbol: str, **wishes):
        [found] = self.concord.query(ELEMENT, {"s": symbol}, **wishes).data["elements"]
        return found

    def test_what_is_put_is_asked_for_and_taken_back(self):
        symbol = named()
        self.concord.put(Block(letter="d"))
        element = Element(
            symbol=symbol, name="x", meltingPoint=1.5, aliases=["a", "b"], block=Block(letter="d")
        )
        result = self.concord.put(element, certainty=0.6, source="test", observed_at=date(2026, 1, 1))
        self.assertTrue(result.success)
        self.assertIn(element.id(), result.affectedIds)
        self.assertEqual(self.element(symbol)["meltingPoint"], 1.5)
        self.assertIsNone(self.element(symbol, required_certainty=0.9)["meltingPoint"])
        self.concord.retract(Element(symbol=symbol, aliases=["a"]))
        self.concord.retract(Element(symbol=symbol), "name", "block")
        found = self.element(symbol)
        self.assertEqual((found["name"], found["aliases"]), (None, ["b"]))

    def test_an_error_has_its_reason(self):
        with self.assertRaises(ConcordError) as raised:
            self.concord.query("{ nothing }")
        self.assertEqual((raised.exception.code, raised.exception.reason), (-32010, "validation"))
        with self.assertRaises(TransportError):
            Concord("http://127.0.0.1:1", http=httpx.Client(trust_env=False)).query("{ a }")

    def test_many_are_put_in_their_order_and_once(self):
        key, progress = named(), []
        author = Author(name=key)
        books = [Book(isbn=f"{key}-{index % 150}", title=f"{index}", authors=author) for index in range(300)]
        affected = self.concord.put_all(books, key=key, size=200, on_progress=progress.append)
        self.assertEqual((progress[-1], len(progress)), (300, 5))
        self.assertEqual(self.concord.put_all(books, key=key, size=200), affected)
        text = "query ($i: ID) { books(where: {isbn: {eq: $i}}) { title authors { id } } }"
        found = self.concord.query(text, {"i": f"{key}-7"}).data["books"]
        self.assertEqual(found, [{"title": "157", "authors": [{"id": author.id()}]}])

    def test_what_needs_no_order_is_put_side_by_side_and_the_rest_in_its_order(self):
        key, lock = named(), threading.Lock()
        open_now, most = 0, 0

        class Watched(Concord):
            def update(self, **given):
                nonlocal open_now, most
                with lock:
                    open_now += 1
                    most = max(most, open_now)
                try:
                    return super().update(**given)
                finally:
                    with lock:
                        open_now -= 1

        with Watched(URL, agent_id="many") as concord:
            books = [Book(isbn=f"{key}-{index}", title="t") for index in range(60)]
            self.assertGreaterEqual(concord.put_all(books, size=20, concurrency=3), 60)
            self.assertEqual(most, 3)
            most = 0
            concord.put_all([Book(isbn=key, title=str(index)) for index in range(6)], size=2, concurrency=3)
            self.assertEqual(most, 1)
            text = "query ($i: ID) { books(where: {isbn: {eq: $i}}) { title } }"
            self.assertEqual(concord.query(text, {"i": key}).data["books"], [{"title": "5"}])

    def test_changes_come_as_they_are_committed(self):
        symbol, standing = named(), threading.Event()
        changes = self.concord.subscribe(
            "subscription ($s: String) { statementChanged(where: {subject: {eq: $s}}) { op } }",
            {"s": Element(symbol=symbol).id()},
            on_open=standing.set,
        )

        def put():
            standing.wait(30)
            with Concord(URL, agent_id="other") as other:
                other.put(Element(symbol=symbol))

        thread = threading.Thread(target=put)
        thread.start()
        change = next(changes)
        changes.close()
        thread.join()
        self.assertEqual((change.op, change.statement["object"]["value"]), ("add", symbol))


class Broken(httpx.AsyncHTTPTransport):
    """A connection whose streams break after each event."""

    opened = 0

    async def handle_async_request(self, request):
        response = await super().handle_async_request(request)
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            return response
        self.opened += 1
        stream = response.stream

        class Cut(httpx.AsyncByteStream):
            async def __aiter__(self):
                async for piece in stream:
                    yield piece
                    if b"data:" in piece:
                        raise httpx.ReadError("cut")

            async def aclose(self):
                await stream.aclose()

        return httpx.Response(response.status_code, headers=response.headers, stream=Cut())


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_a_subscription_resumes_where_it_broke(self):
        symbol, broken = named(), Broken()
        standing = asyncio.Event()
        async with (
            AsyncConcord(URL, agent_id="python") as concord,
            AsyncConcord(URL, http=httpx.AsyncClient(transport=broken)) as shaky,
        ):
            changes = shaky.subscribe(
                "subscription ($s: String) { statementChanged(where: {subject: {eq: $s}}) { op } }",
                {"s": Element(symbol=symbol).id()},
                on_open=standing.set,
            )

            async def put():
                await standing.wait()
                for number in range(4):
                    await concord.put(Element(symbol=symbol, number=number))

            putting = asyncio.create_task(put())
            seen = []
            async for change in changes:
                seen.append(change.statement["object"]["value"])
                if seen[-1] == 3:
                    break
            await putting
            self.assertEqual(seen, [symbol, 0, 1, 2, 3])
            self.assertGreater(broken.opened, 1)

    async def test_forty_puts_at_once_are_all_there(self):
        key = named()
        async with AsyncConcord(URL, agent_id="python") as concord:
            books = [Book(isbn=f"{key}-{index}", title=key) for index in range(40)]
            await asyncio.gather(*(concord.put(each) for each in books))
            data = (await concord.query(f'{{ books(where: {{title: {{eq: "{key}"}}}}) {{ isbn }} }}')).data
            self.assertEqual(len(data["books"]), 40)

    async def test_tasks_run_by_the_official_sdk(self):
        symbol = named()
        async with AsyncConcord(URL, agent_id="python") as concord:
            entities = [Element(symbol=symbol, name="by a task").wire()]
            task = await concord.tasks.send("propose", entities=entities)
            self.assertEqual(task["status"]["state"], "TASK_STATE_COMPLETED")
            asked = await concord.tasks.send("query", query=ELEMENT, variables={"s": symbol})
            [part] = asked["artifacts"][0]["parts"]
            self.assertEqual(part["data"]["data"]["elements"][0]["name"], "by a task")
            self.assertIn(task["id"], [each["id"] for each in await concord.tasks.list()])
