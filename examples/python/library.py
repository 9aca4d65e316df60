"""A library by two agents: one catalogues books, the other follows the changes and tells who wrote several.

Usage: python library.py http://127.0.0.1:4000
"""

import asyncio
import sys
from collections import Counter
from datetime import date

from concord_client import AsyncConcord
from vocabulary import Author, Book

BOOKS = [
    (
        "9780262046305",
        "Introduction to Algorithms",
        date(2022, 4, 5),
        ["Cormen", "Leiserson", "Rivest", "Stein"],
    ),
    ("9780201896831", "Fundamental Algorithms", date(1997, 7, 7), ["Knuth"]),
    ("9780201896848", "Seminumerical Algorithms", date(1997, 11, 4), ["Knuth"]),
    ("9780201896855", "Sorting and Searching", date(1998, 5, 4), ["Knuth"]),
    ("9780135957059", "The Pragmatic Programmer", date(2019, 9, 13), ["Thomas", "Hunt"]),
]
AUTHORS = "https://example.org/examples#authors"


async def catalogue(url: str) -> None:
    async with AsyncConcord(url, agent_id="librarian") as concord:
        for isbn, title, published, names in BOOKS:
            authors = [Author(name=name) for name in names]
            await concord.put_all(authors)
            book = Book(isbn=isbn, title=title, published=published, authors=authors)
            await concord.put(book, certainty=0.99, source="the shelf")


async def follow(url: str, standing: asyncio.Event) -> Counter[str]:
    """Counts the books of each author as they come, until all are there."""
    wanted = sum(len(names) for *_, names in BOOKS)
    seen: Counter[str] = Counter()
    subscription = "subscription ($p: String) { statementChanged(where: {predicate: {eq: $p}}) { op } }"
    async with AsyncConcord(url) as concord:
        async for change in concord.subscribe(subscription, {"p": AUTHORS}, on_open=standing.set):
            seen[change.statement["object"]["id"]] += 1
            if seen.total() == wanted:
                break
    return seen


async def main(url: str) -> None:
    standing = asyncio.Event()
    following = asyncio.create_task(follow(url, standing))
    await standing.wait()
    await catalogue(url)
    try:
        counted = await asyncio.wait_for(following, timeout=60)
    except asyncio.TimeoutError:
        return print("Nothing new")
    busy = [author for author, count in counted.items() if count > 1]
    async with AsyncConcord(url) as concord:
        query = "query ($ids: [ID!]) { authors(where: {id: {in: $ids}}) { name books(sort: [{published: ASC}]) { title } } }"
        for author in (await concord.query(query, {"ids": busy})).data["authors"]:
            print(f"{author['name']}: {', '.join(book['title'] for book in author['books'])}")


asyncio.run(main(*sys.argv[1:]))
