"""A client of the Artist Intelligence API, current form: a program, and a library.

    export ARTIST_API_KEY=aik_...
    python3 artist_api.py list                       prints every artist: identifier, tab, name
    python3 artist_api.py poll --state seen.json     prints who is added, every 15 minutes
    python3 artist_api.py copy shortlist.db          keeps a copy in an SQLite file: run it once a night
    python3 artist_api.py --help                     shows the other commands

    from artist_api import ApiError, Client
    client = Client()                                # or Client(url, key, wait=True, timeout=30)
    for artist in client.artists(tier="breaking", include="history"):
        print(artist["name"], artist["history"])

A method returns a complete result or raises: ApiError for a refused or failed request, ValueError for an invalid key or
address. It waits for quotas and outages, at most 5 minutes per request. It prints one line on standard error while it waits,
and in the last 30 days of the key. Client(notice=...) receives these lines instead.

Needs Python 3.9 or later and no packages. HTTPS_PROXY sets a proxy.
SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import re
import shutil
import sqlite3
import time
import typing
import urllib.parse

from shared.http import (
    ApiError,
    FileError,
    Reply,
    Service,
    header,
    iso,
    parse_json,
    run,
    write_line,
)

HEALTH = "/api/v1/health"
Json = dict[str, typing.Any]
Filters = typing.Mapping[str, typing.Optional[str]]


class Client(Service):
    """The service in the current form. `quota` is the quota in the last response."""

    program = "artist_api.py"
    headers = {"X-Envelope": "current"}  # for a variant key that may override its form

    def get(
        self, path: str, params: typing.Mapping[str, object] | None = None, tag: str = ""
    ) -> Reply:
        """Returns the response to any path: its `body`, an object, and its `headers`. With the ETag of an earlier
        response as `tag`, an unchanged one has status 304 and no body.
        """
        query = urllib.parse.urlencode(
            {name: value for name, value in (params or {}).items() if value is not None}
        )
        joined = f"{path}{'&' if '?' in path else '?'}{query}" if query else path
        reply = self.ask(joined, {"If-None-Match": tag} if tag else None)
        # Health is the same in both forms, even with a refused key.
        if header(reply, "X-Envelope-Served") == "variant" and path != HEALTH:
            raise ApiError(
                f"This key has the variant form, and this client reads the current form: see {self.url}/docs/migration",
                reply,
            )
        if not (isinstance(reply.body, dict) or (tag and reply.status == 304)):
            raise self.error_of(reply)
        return reply

    def items(self, reply: Reply, identifier: str) -> list[Json]:
        data, meta = reply.body.get("data"), reply.body.get("meta")
        cursor = meta.get("next_cursor", 0) if isinstance(meta, dict) else 0
        is_list = isinstance(data, list) and all(
            isinstance(item, dict) and identifier in item for item in data
        )
        if not is_list or not isinstance(cursor, (str, type(None))):
            raise self.error_of(reply)
        return data

    def pages(
        self, filters: Filters, page_size: int = 100, tag: str = ""
    ) -> typing.Iterator[Reply]:
        """Requests pages of artists as they are needed. `tag`: the ETag of an earlier first page."""
        cursor: str | None = None
        while True:
            reply = self.get(
                "/api/v1/artists",
                {"limit": page_size, **filters, "cursor": cursor},
                "" if cursor else tag,
            )
            if reply.status != 304:
                self.items(reply, "id")
            following = reply.body["meta"]["next_cursor"] if reply.body else None
            if cursor is not None and following == cursor:
                raise ApiError("A page names itself as the next page.", reply)
            yield reply
            cursor = following
            if cursor is None:
                return

    def artists(self, page_size: int = 100, **filters: str | None) -> typing.Iterator[Json]:
        """Yields each artist once, page by page. Filters: name, tier, added_since, id; include="history"."""
        seen = set()  # an artist whose date_added changes in between is on two pages
        for page in self.pages(filters, page_size):
            if filters.get("include") == "history":
                self.has_whole_histories(page)
            for artist in page.body["data"]:
                if artist["id"] not in seen:
                    seen.add(artist["id"])
                    yield artist

    def artist(self, id: str) -> Json:
        """Returns an artist with its history. Raises ApiError with status 404 for an unknown id."""
        reply = self.get("/api/v1/artists/" + urllib.parse.quote(id, safe=""))
        data = reply.body.get("data")
        if not isinstance(data, dict) or "id" not in data:
            raise self.error_of(reply)
        self.has_whole_histories(reply)
        return data

    def has_whole_histories(self, reply: Reply) -> bool:
        """True if no history is incomplete. The service sends no ETag while it cannot read a part of them."""
        if header(reply, "ETag"):
            return True
        self.tell_once("history", "The service cannot read a part of the history: points are missing.")
        return False

    def added_since(self, day: str) -> typing.Iterator[Json]:
        """Yields the artists added on a day, such as "2026-11-25", or later. /added returns at most 100."""
        return self.artists(added_since=day)

    def spikes(self, days: int | None = None) -> Json:
        """Returns `items`, `window` and `engine`."""
        reply = self.get("/api/v1/spikes", {"days": days})
        items, meta = self.items(reply, "artist_id"), reply.body["meta"]
        return {"items": items, "window": meta.get("window", {}), "engine": meta.get("engine", {})}

    def signings(self) -> list[Json]:
        return self.items(self.get("/api/v1/signings"), "artist_id")

    def today(self) -> datetime.date:
        """Returns the day of the service (UTC), without using the quota. The clock of this machine may be wrong."""
        reply = self.get(HEALTH)
        try:
            return day_of(str(reply.body.get("generated_at"))[:10])
        except ValueError:
            raise self.error_of(reply) from None


def day_of(text: str) -> datetime.date:
    """Reads YYYY-MM-DD. Raises ValueError for other texts, and for the first day of all."""
    day = datetime.date.fromisoformat(text)
    if day.isoformat() != text or day == datetime.date.min:
        raise ValueError(text)
    return day


def write_fields(item: Json, *names: str) -> None:
    write_line(*(str(item.get(name, "")) for name in names))


def write_artist(artist: Json) -> None:
    write_fields(artist, "id", "name")


def is_running(pid: str) -> bool:
    """True if another process has this number, or might have it."""
    if not re.fullmatch("[0-9]{1,9}", pid) or int(pid) == os.getpid():
        return False
    try:
        if os.name != "nt":  # where 0 is Ctrl-C
            os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


@contextlib.contextmanager
def only_run(file: str) -> typing.Iterator[str]:
    """Creates and locks a state: FILE.lock has the number of this process. Yields the path of the file. Raises FileError
    during another run, and if the file or its folder cannot be written.
    """
    try:
        with open(file, "a"):
            place = os.path.realpath(file)
        lock = f"{place}.lock"
        if os.path.exists(lock):
            with open(lock) as stream:
                pid = stream.read()
            if is_running(pid):
                raise FileError(f"Process {pid} uses {file}. If that is no poll, remove {lock}.")
            os.remove(lock)
        with open(lock, "x") as stream:
            stream.write(str(os.getpid()))
    except OSError as failure:
        raise FileError(f"{file} cannot be written: {failure.strerror}.") from failure
    try:
        yield place
    finally:
        os.remove(lock)


def read_state(file: str) -> tuple[datetime.date | None, set[str]]:
    """Returns the day of the last poll and its artists. Raises FileError for another file."""
    try:
        with open(file, encoding="utf-8") as stream:
            text = stream.read()
        if text == "":
            return None, set()
        state = parse_json(text)
        seen = state["seen"]
        if not isinstance(seen, list) or not all(isinstance(id, str) for id in seen):
            raise ValueError("seen is no list of texts")
        return day_of(state["day"]), set(seen)
    except (ValueError, KeyError, TypeError):
        raise FileError(f"{file} is not a file that poll has written.") from None


def write_state(place: str, day: datetime.date, seen: set[str]) -> None:
    """Writes the file completely or not at all. Raises FileError."""
    part = f"{place}.{os.getpid()}"
    try:
        with open(part, "w", encoding="utf-8") as stream:
            json.dump({"day": day.isoformat(), "seen": sorted(seen)}, stream)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.replace(part, place)
        except OSError:  # a file mounted into a container
            shutil.copyfile(part, place)
    except OSError as failure:
        raise FileError(f"{place} cannot be written: {failure.strerror or failure}.") from failure
    finally:
        if os.path.exists(part):
            os.remove(part)


def poll(
    client: Client,
    state: str | None = None,
    polls: int | None = None,
    page_size: int = 100,
    handler: typing.Callable[[Json], object] = write_artist,
) -> None:
    """Calls `handler` for each artist added since the last poll, then writes the state, every 15 minutes. That is 96 of
    1,000 requests a day, unless two days have more than a page. It reads from the day before the last poll. Only 400, 401,
    403 and 404 of the service end it. After other failures it continues with the next poll.
    """
    tag, since, turn = "", None, 0
    with contextlib.nullcontext() if state is None else only_run(state) as place:
        day, seen = read_state(place) if place else (None, set())
        while True:
            turn += 1
            try:
                today = client.today()
                start = ((day or today) - datetime.timedelta(days=1)).isoformat()
                pages = list(
                    client.pages({"added_since": start}, page_size, tag if start == since else "")
                )
            except ApiError as error:
                if turn == polls or (error.from_service and error.status in (400, 401, 403, 404)):
                    raise
                client.notice(f"{error}: next poll in 15 minutes")
            else:
                since, day = start, today
                # The tag of a first page says nothing about further pages.
                tag = header(pages[0], "ETag") if len(pages) == 1 else ""
                if pages[0].status != 304:
                    artists = {artist["id"]: artist for page in pages for artist in page.body["data"]}
                    for id, artist in artists.items():
                        if id not in seen:
                            handler(artist)
                    seen = set(artists)
                if place:
                    write_state(place, day, seen)
            if turn == polls:
                return
            client.sleep(15 * 60)


KEY = ("kind", "artist", "song", "metric", "day")
COLUMNS = ", ".join(f"{name} TEXT" for name in (*KEY, "answer"))
PRIMARY_KEY = f"PRIMARY KEY ({', '.join(KEY)})"
# A row that is not gone was last seen in the last night of its kind, without being written again.
LAST_NIGHT = "(SELECT max(nights.day) FROM nights WHERE nights.kind = kept.kind)"
SEEN = f"first_seen, coalesce(gone_after, {LAST_NIGHT}) AS last_seen, gone"
VIEWS = {
    "artists": "artist AS id, json_extract(answer, '$.name') AS name, answer",
    "songs": "artist AS artist_id, song AS id, json_extract(answer, '$.name') AS name, answer",
    "points": "artist AS artist_id, song AS song_id, metric, day, json_extract(answer, '$.value') AS value, answer",
    "spikes": "artist AS artist_id, metric, answer",
    "signings": "artist AS artist_id, answer",
}
APPLICATION = 0x41525421  # identifies a copy among SQLite files
SCHEMA = [
    "CREATE TABLE IF NOT EXISTS copy.nights (kind TEXT, day TEXT, PRIMARY KEY (kind, day))",
    f"CREATE TABLE IF NOT EXISTS copy.kept ({COLUMNS}, first_seen TEXT, gone_after TEXT, gone TEXT, {PRIMARY_KEY})"
    " WITHOUT ROWID",
    *(
        f"CREATE VIEW IF NOT EXISTS copy.{name} AS SELECT {columns}, {SEEN} FROM kept WHERE kind = '{name}'"
        for name, columns in VIEWS.items()
    ),
]
SAME = " AND ".join(f"night.{name} = kept.{name}" for name in KEY)
Row = tuple[str, str, str, str, str, Json]


def rows_of(artist: Json) -> typing.Iterator[Row]:
    """Yields the rows of an artist, its songs and their points. Points of the artist have no song."""
    songs = artist.pop("songs")
    for song, owner in [("", artist), *((song["id"], song) for song in songs)]:
        for metric, points in owner.pop("history", {}).items():
            for point in points:
                yield "points", artist["id"], song, metric, point["date"], point
        yield "songs" if song else "artists", artist["id"], song, "", "", owner


def check_copy(file: str) -> None:
    """Raises FileError if a file is no copy, or cannot be written."""
    place = file if os.path.exists(file) else os.path.dirname(file)
    if os.path.isdir(file) or not os.access(place, os.W_OK):
        raise FileError(f"{file} cannot be written.")
    if not os.path.exists(file):
        return
    with contextlib.closing(sqlite3.connect(file)) as database:
        [found] = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        [application] = database.execute("PRAGMA application_id").fetchone()
    if found and application != APPLICATION:
        raise FileError(f"{file} is another database. Nothing was written.")


class Night:
    """Reads into a temporary database, then writes the copy in one transaction."""

    def __init__(self, client: Client, page_size: int) -> None:
        self.client = client
        self.page_size = page_size
        self.pages = 0
        self.kinds = ["artists", "songs", "points"]
        self.database = sqlite3.connect("", timeout=60, isolation_level=None)
        self.database.execute(f"CREATE TABLE night ({COLUMNS}, {PRIMARY_KEY}) WITHOUT ROWID")
        self.database.execute("CREATE TABLE unread (artist)")  # artists with an incomplete history

    def keep(self, rows: typing.Iterable[Row]) -> None:
        for *row, answer in rows:
            text = json.dumps(answer, ensure_ascii=False, sort_keys=True)
            self.database.execute(
                "INSERT OR REPLACE INTO night VALUES (?, ?, ?, ?, ?, ?)", (*row, text)
            )

    def read_artists(self, id: str | None = None) -> None:
        for page in self.client.pages({"include": "history", "id": id}, self.page_size):
            self.pages += 1
            is_whole = self.client.has_whole_histories(page)
            try:
                for artist in page.body["data"]:
                    self.keep(rows_of(artist))
                    if not is_whole:
                        self.database.execute("INSERT INTO unread VALUES (?)", (artist["id"],))
            except (KeyError, TypeError, AttributeError):
                raise self.client.error_of(page) from None

    def read_signals(self) -> None:
        """Reads spikes and signings. Without a scope for them their rows stay as they are."""
        reads: dict[str, typing.Callable[[], list[Json]]] = {
            "spikes": lambda: self.client.spikes()["items"],
            "signings": self.client.signings,
        }
        for kind, read in reads.items():
            try:
                items = read()
            except ApiError as error:
                if error.code != "insufficient_scope":
                    raise
                self.client.notice(
                    f"The view {kind} stays as it is: the key lacks the scope {kind}:read."
                )
            else:
                self.kinds.append(kind)
                self.keep(
                    (kind, item["artist_id"], "", item.get("metric", ""), "", item)
                    for item in items
                )

    def attach(self, file: str) -> bool:
        """Opens the copy. Returns True if it was written before."""
        self.database.execute("ATTACH DATABASE ? AS copy", (file,))
        return self.database.execute("SELECT 1 FROM copy.sqlite_master").fetchone() is not None

    def check_gone(self, file: str, is_confirmed: bool) -> None:
        """Requests missing artists again: an artist whose date_added changes while pages are read may be on none.
        Raises FileError if more than half of all artists are gone.
        """
        before = "FROM copy.kept WHERE kind = 'artists' AND gone IS NULL"
        [total] = self.database.execute(f"SELECT count(*) {before}").fetchone()
        missing = [
            id
            for (id,) in self.database.execute(
                f"SELECT artist {before} AND NOT EXISTS (SELECT 1 FROM night WHERE {SAME})"
            )
        ]
        if len(missing) * 2 > total and not is_confirmed:
            raise FileError(
                f"{self.client.url} lacks {len(missing)} of {total} artists of {file}: nothing was written."
                " If they are gone, use --yes."
            )
        if len(missing) > self.pages:
            self.read_artists()
        else:
            for id in missing:
                self.read_artists(id)

    def write(self, file: str, day: str) -> str:
        """Writes changed rows in one transaction. Returns their numbers. Raises FileError if the copy is of a later day."""
        execute = self.database.execute
        execute("BEGIN IMMEDIATE")
        for statement in SCHEMA:
            execute(statement)
        if execute("PRAGMA copy.application_id").fetchone() != (APPLICATION,):
            execute(f"PRAGMA copy.application_id = {APPLICATION}")
        [newest] = execute("SELECT max(day) FROM copy.nights").fetchone()
        if newest is not None and newest > day:
            raise FileError(f"{file} is of {newest}, later than {day}: nothing was written.")
        gone = execute(
            f"UPDATE copy.kept SET gone = ?, gone_after = {LAST_NIGHT}"
            f" WHERE gone IS NULL AND kind IN ({', '.join('?' * len(self.kinds))})"
            f" AND NOT EXISTS (SELECT 1 FROM night WHERE {SAME})"
            " AND NOT (kind = 'points' AND artist IN (SELECT artist FROM unread))",
            (day, *self.kinds),
        ).rowcount
        [new] = execute(
            f"SELECT count(*) FROM night WHERE NOT EXISTS (SELECT 1 FROM copy.kept WHERE {SAME})"
        ).fetchone()
        written = execute(
            f"INSERT INTO copy.kept SELECT *, ?, NULL, NULL FROM night WHERE true ON CONFLICT ({', '.join(KEY)})"
            " DO UPDATE SET answer = excluded.answer, gone = NULL, gone_after = NULL"
            " WHERE kept.gone IS NOT NULL OR kept.answer <> excluded.answer",
            (day,),
        ).rowcount
        self.database.executemany(
            "INSERT OR IGNORE INTO copy.nights VALUES (?, ?)", [(kind, day) for kind in self.kinds]
        )
        execute("COMMIT")
        return f"{new} rows new, {written - new} changed, {gone} gone"


def copy(client: Client, file: str, page_size: int = 100, is_confirmed: bool = False) -> str:
    """Reads everything, then writes changed rows in one transaction. A failure leaves the file as it was.

    The file has the views artists, songs, points, spikes and signings. `gone` is the first day (UTC) without a row,
    `last_seen` the last day with it, or with an incomplete history. Returns what changed, in a sentence.
    """
    file = os.path.abspath(file)  # for SQLite, "" and ":memory:" are temporary databases
    try:
        check_copy(file)
        day = client.today().isoformat()
        night = Night(client, page_size)
        with contextlib.closing(night.database):
            night.read_artists()
            night.read_signals()
            if night.attach(file):
                night.check_gone(file, is_confirmed)
            return night.write(file, day)
    except sqlite3.Error as failure:
        raise FileError(f"{file}: {failure}") from failure


def above_zero(text: str) -> float:
    number = float(text)
    if not 0 < number < 1e9:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def count(text: str) -> int:
    return int(above_zero(str(int(text))))


def read_options() -> argparse.Namespace:
    common = argparse.ArgumentParser(add_help=False)
    add = common.add_argument
    add("--base-url", metavar="URL", help="address of the service (ARTIST_API_URL)")
    add("--page-size", type=count, default=100, metavar="N", help="artists per request (100)")
    add("--timeout", type=above_zero, default=30, metavar="S", help="seconds for a response (30)")
    add("--wait", action="store_true", help="wait for a quota without a limit, instead of 5 minutes")
    help = "multiplies every wait: 0.01 for a trial"
    add("--wait-factor", type=above_zero, default=1, metavar="X", help=help)
    parser = argparse.ArgumentParser(
        epilog="The key is in the variable ARTIST_API_KEY, a proxy in HTTPS_PROXY."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, help: str, **more: typing.Any) -> argparse.ArgumentParser:
        return commands.add_parser(name, parents=[common], help=help, description=help, **more)

    command("list", "print every artist: identifier, tab, name", aliases=["shortlist"])
    command("artist", "print an artist with its history, as a line of JSON").add_argument(
        "id", metavar="ID"
    )
    command("spikes", "print spikes: identifier, name, metric, growth in percent").add_argument(
        "--days", type=count, metavar="N", help="days that are compared (3)"
    )
    command("signings", "print signed artists: identifier, name, status, songs with a label")
    polling = command(
        "poll",
        "print who was added since yesterday (UTC), every 15 minutes. After a restart it may print one poll again; without"
        " --state all of the last two days. It misses an artist that is entered late, with an earlier date_added or none:"
        " use copy if you need every artist",
    )
    polling.add_argument("--state", metavar="FILE", help="remember printed artists in a file")
    help = "stop after N polls. From cron: poll --polls 1 --state /full/path/seen.json"
    polling.add_argument("--polls", type=count, metavar="N", help=help)
    copying = command(
        "copy",
        "keep a copy in an SQLite file. The key needs artists:read, and for spikes and signings spikes:read and signings:read",
    )
    copying.add_argument("file", metavar="FILE")
    help = "write it even if more than half of the artists are gone"
    copying.add_argument("--yes", action="store_true", help=help)
    return parser.parse_args()


def main() -> None:
    options = read_options()
    client = Client(
        options.base_url,
        wait=options.wait,
        timeout=options.timeout,
        sleep=lambda seconds: time.sleep(seconds * options.wait_factor),
    )
    if options.command == "copy":
        changes = copy(client, options.file, options.page_size, options.yes)
        day = client.quota.day
        left = f" {day.remaining} of {day.limit} requests are left until {iso(day.reset)}." if day else ""
        write_line(f"{changes}, after {client.requests} requests.{left}")
    elif options.command == "poll":
        poll(client, options.state, options.polls, options.page_size)
    elif options.command == "artist":
        write_line(json.dumps(client.artist(options.id), ensure_ascii=False, separators=(",", ":")))
    elif options.command == "spikes":
        for item in client.spikes(options.days)["items"]:
            write_fields(item, "artist_id", "artist_name", "metric", "percent_change")
    elif options.command == "signings":
        for item in client.signings():
            row = {**item, "status": item.get("signing", {}).get("status", "")}
            write_fields(row, "artist_id", "artist_name", "status", "total_label_songs")
    else:
        for artist in client.artists(options.page_size):
            write_artist(artist)


if __name__ == "__main__":
    run(main)
