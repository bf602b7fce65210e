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
import email.message
import email.utils
import gzip
import http.client
import io
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import ssl
import sys
import threading
import time
import typing
import urllib.parse
import urllib.request
import zlib

VERSION = "0.0.0"
DEFAULT_URL = "http://127.0.0.1:3000"
ATTEMPTS = 5
HEALTH = "/api/v1/health"
LONGEST_TIMEOUT = 2_147_483  # seconds: the limit of a socket is 2^31 - 1 ms
UTC = datetime.timezone.utc

# Control characters, Unicode line ends, and marks that change the direction of a line.
NOT_PRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
# A key, complete or cut: only its id may be printed.
KEY_TEXT = re.compile("aik_([0-9A-Za-z]+)_[0-9A-Za-z]+")
IMF_FIXDATE = re.compile(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT")


def printable(value: object) -> str:
    """Returns a text as one line, without control characters and lone surrogates."""
    return re.sub("[\ud800-\udfff]", "\ufffd", NOT_PRINTABLE.sub(" ", str(value)).strip())


class SettingError(ValueError):
    """An invalid key or address. Its text names the setting, never the value."""


class FileError(Exception):
    """A file that cannot be used, or would lose data."""


def check_characters(name: str, text: str) -> str:
    """Returns a key or address without surrounding blanks. Raises SettingError."""
    text = text.strip()
    if text == "":
        raise SettingError(f"{name} is not set.")
    found = re.search("[^\x21-\x7e]", text)
    if found is None:
        return text
    code = "a space" if found[0] == " " else f"U+{ord(found[0]):04X}"
    raise SettingError(
        f"{name} has {code} at character {found.start() + 1}: copy it again without quotes and line ends."
    )


def check_address(name: str, text: str) -> str:
    """Returns an address without "/" or "/api/v1" at its end. Raises SettingError."""
    text = check_characters(name, text)
    if not re.match("https?://", text, re.IGNORECASE):
        raise SettingError(f"{name} does not begin with http:// or https://.")
    try:
        parts = urllib.parse.urlsplit(text)
        host = (parts.hostname or "").encode("idna")  # fails for an empty or too long label
        is_valid = host != b"" and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid:
        raise SettingError(f"{name} has no valid host or port.")
    if "@" in parts.netloc:
        raise SettingError(f"{name} has a user or a password: the key is the only credential.")
    if "?" in text or "#" in text:
        raise SettingError(f"{name} has a query or a fragment.")
    return re.sub("(?:/+api/v1)?/*$", "", text)


class Window(typing.NamedTuple):
    limit: int
    remaining: int
    reset: datetime.datetime


class Quota(typing.NamedTuple):
    """The quota in the last response. The variant form has an hour instead of the minute."""

    minute: Window | None = None
    day: Window | None = None


class Reply(typing.NamedTuple):
    """A response with any status."""

    status: int
    headers: email.message.Message
    text: str
    body: typing.Any  # the parsed JSON; None for other texts


def parse_json(text: str) -> typing.Any:
    """Returns the value of a JSON text; None for other texts."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def header(reply: Reply, name: str) -> str:
    return str(reply.headers.get(name, ""))


def instant_of(text: str) -> datetime.datetime | None:
    """Returns the time of an IMF-fixdate; None for other texts."""
    try:
        return (
            email.utils.parsedate_to_datetime(text).astimezone(UTC)
            if IMF_FIXDATE.fullmatch(text)
            else None
        )
    except (ValueError, OverflowError, TypeError):  # TypeError: Python 3.9
        return None


def now_of(reply: Reply) -> datetime.datetime:
    """Returns the time of the responding server. The clock of this machine may be wrong."""
    return instant_of(header(reply, "Date")) or datetime.datetime.now(UTC)


def seconds_of(reply: Reply) -> float | None:
    """Returns the seconds in Retry-After, which has a number or a date: at least 1."""
    text = header(reply, "Retry-After").strip()
    if re.fullmatch("[0-9]{1,9}", text):
        return max(1, int(text))
    until = instant_of(text)
    return None if until is None else max(1, round((until - now_of(reply)).total_seconds()))


def window_of(reply: Reply, name: str) -> Window | None:
    texts = [header(reply, f"X-RateLimit{name}-{part}") for part in ("Limit", "Remaining", "Reset")]
    if not all(re.fullmatch("[0-9]{1,10}", text) for text in texts):
        return None
    limit, remaining, reset = map(int, texts)
    return Window(limit, remaining, datetime.datetime.fromtimestamp(reset, UTC))


def iso(instant: datetime.datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


class ApiError(Exception):
    """A failed request. Its text is one line."""

    def __init__(self, message: str = "", reply: Reply | None = None) -> None:
        super().__init__()
        body = reply.body if reply and isinstance(reply.body, dict) else {}
        error = body.get("error")
        told = error if isinstance(error, dict) else {**body, "code": error or ""}
        self.message = message
        self.reply = reply
        self.status = reply.status if reply else 0  # 0 without a complete response
        self.code = str(told.get("code", ""))  # "not_found" …
        self.text = str(told.get("message", ""))
        own_id = header(reply, "X-Request-Id") if reply else ""
        self.request_id = own_id or str(told.get("request_id", ""))  # for support
        self.from_service = self.request_id != ""
        self.retry_after = seconds_of(reply) if reply else None
        self.retry_at: datetime.datetime | None = None  # by the clock of the service
        if reply and self.retry_after:
            self.retry_at = now_of(reply) + datetime.timedelta(seconds=self.retry_after)
        self.wait_helps = False  # True if wait=True would have continued
        self.is_setup = False  # True if a setting of this machine prevents a response

    def __str__(self) -> str:
        return self.message

    @property
    def may_pass(self) -> bool:
        """True if the same request may succeed later."""
        return not self.is_setup and (self.status in (0, 429) or self.status >= 500)


def write_error(text: str) -> None:
    """Writes a line to standard error, if there is one."""
    if sys.stderr is None:  # print would use standard output
        return
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass


PROXY_REMEDY = "Put the user and password of the proxy into HTTPS_PROXY, as http://USER:PASSWORD@HOST:PORT."


def remedy_of(failure: object) -> str:
    """Returns what to change if the next request would fail the same way; otherwise ""."""
    if isinstance(failure, ssl.SSLCertVerificationError):
        return "If your network replaces certificates, set SSL_CERT_FILE to its root certificate."
    if isinstance(failure, ssl.SSLError) and not isinstance(failure, ssl.SSLEOFError):
        return "Check the address: this port might not use TLS (https://)."
    return PROXY_REMEDY if "connection failed: 407" in str(failure) else ""


Json = dict[str, typing.Any]
Filters = typing.Mapping[str, typing.Optional[str]]


class Client:
    """The service in the current form. `url` and `key` default to ARTIST_API_URL and ARTIST_API_KEY. `quota` is the quota
    in the last response. Threads can share a client.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        wait: bool = False,
        timeout: float = 30,
        notice: typing.Callable[[str], object] = write_error,
        sleep: typing.Callable[[float], object] = time.sleep,
    ) -> None:
        """`wait`: wait for a quota without a limit. `timeout`: seconds for a response, at most 2,147,483. `notice` receives
        lines about waiting, and about the end of the key or its form. `sleep` waits for seconds.
        """
        if url is None:
            self.url = check_address("ARTIST_API_URL", os.environ.get("ARTIST_API_URL") or DEFAULT_URL)
        else:
            self.url = check_address("url", url)
        if key is None:
            self._key = check_characters("ARTIST_API_KEY", os.environ.get("ARTIST_API_KEY", ""))
        else:
            self._key = check_characters("key", key)
        self.longest_wait = float("inf") if wait else 300.0
        if not timeout > 0:
            raise ValueError(f"timeout is {timeout}, which is not above 0")
        self.timeout = min(timeout, LONGEST_TIMEOUT)
        self.notice = notice
        self.sleep = sleep
        self.quota = Quota()
        self.requests = 0
        self._headers = {
            "Authorization": f"Bearer {self._key}",
            "User-Agent": f"artist_api.py/{VERSION}",
            "X-Envelope": "current",  # for a variant key that may override its form
        }
        self._told: set[str] = set()
        self._lock = threading.Lock()
        # No handler follows redirects or raises for an error status.
        self._opener = urllib.request.OpenerDirector()
        for handler in (
            urllib.request.ProxyHandler,
            urllib.request.HTTPHandler,
            urllib.request.HTTPSHandler,
            urllib.request.UnknownHandler,
        ):
            self._opener.add_handler(handler())

    def send(self, path: str, headers: typing.Mapping[str, str] | None = None) -> Reply:
        """Sends one GET. Raises ApiError without a complete response and for a redirect, and SettingError if urllib cannot
        read the proxy in the environment.
        """
        if not re.fullmatch("/[\x21-\x7e]*", path):
            raise ValueError("A path begins with / and has no space: use urllib.parse.quote for its parts.")
        with self._lock:
            self.requests += 1
        request = urllib.request.Request(
            self.url + path, headers={**self._headers, **(headers or {})}
        )
        content = bytearray()
        until = time.monotonic() + self.timeout
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                while part := response.read1(1 << 16):
                    content += part
                    if time.monotonic() > until:
                        raise TimeoutError("timed out")
                if response.length or (response.status == 200 and not content):
                    raise http.client.IncompleteRead(b"", response.length)
                if response.headers.get("Content-Encoding") == "gzip":  # by a proxy, unrequested
                    content = bytearray(gzip.decompress(content))
        except (OSError, EOFError, zlib.error, http.client.HTTPException) as failure:
            reason = failure if isinstance(failure, ssl.SSLError) else getattr(failure, "reason", failure)
            if isinstance(failure, (http.client.IncompleteRead, EOFError, zlib.error)):
                reason = "the response was cut off"
            remedy = remedy_of(reason)
            text = f"No response from {self.url}: {reason or type(reason).__name__}"
            error = ApiError(self._clean(f"{text}. {remedy}" if remedy else text))
            error.is_setup = remedy != ""
            raise error from failure
        except ValueError:  # its text may contain a password
            raise SettingError("HTTPS_PROXY or HTTP_PROXY is no address of a proxy.") from None
        text = content.decode("utf-8-sig", "replace")
        reply = Reply(response.status, response.headers, text, parse_json(text))
        if 300 <= reply.status < 400 and reply.status != 304:
            raise self.error_of(reply)
        quota = Quota(window_of(reply, ""), window_of(reply, "-Day"))
        if quota.minute:
            self.quota = quota
        self._tell_end("Sunset", "the form of this key", "/docs/migration", reply)
        self._tell_end("X-Key-Expires", "this key", "/docs", reply)
        return reply

    def ask(self, path: str, headers: typing.Mapping[str, str] | None = None) -> Reply:
        """Sends a GET up to 5 times. After 429, 5xx and lost connections it waits for Retry-After, otherwise longer each
        time. With `wait`, a 429 of the service does not count. Returns a 304, or a 200 with JSON. Raises ApiError otherwise.
        """
        waited, attempt, longer = 0.0, 1, 2
        is_unbounded = self.longest_wait == float("inf")
        while True:
            try:
                reply = self.send(path, headers)
                if reply.status == 304 or (reply.status == 200 and reply.body is not None):
                    return reply
                error = self.error_of(reply)
            except ApiError as failure:
                error = failure
            if not error.may_pass:
                raise error
            seconds = error.retry_after or round(longer * random.uniform(0.5, 1), 1)
            is_quota = error.status == 429 and error.from_service
            is_last = attempt == ATTEMPTS and not (is_quota and is_unbounded)
            if is_last or waited + seconds > self.longest_wait:
                error.wait_helps = not is_unbounded and (is_quota or not is_last)
                raise error
            self.notice(f"{str(error).rstrip('.')}: waiting {seconds:g} s")
            self.sleep(seconds)
            waited += seconds
            longer = min(2 * longer, 16)
            attempt += 0 if is_quota and is_unbounded else 1

    def error_of(self, reply: Reply) -> ApiError:
        """Returns the error of a response, with its status, body and headers in one line."""
        error = ApiError(reply=reply)
        until = iso(error.retry_at) if error.retry_at else ""
        again = f" Retry at {until}." if until else ""
        what = f"{reply.status} {error.code}".rstrip()
        location = header(reply, "Location")
        if location and reply.status < 400:
            target = urllib.parse.urljoin(f"{self.url}/", location).partition("?")[0]
            text = f"{reply.status} redirects to {target}, which was not requested: the key is sent to {self.url} only."
        elif not error.from_service:
            title = re.search("<title>([^<]*)", reply.text, re.IGNORECASE)
            start = printable(title[1] if title else reply.text)[:100]
            text = f"{reply.status} from something before the service (no X-Request-Id): {start}.{again}"
            text += f" {PROXY_REMEDY}" if reply.status == 407 else ""
        elif reply.status < 400:
            text = f"{reply.status}: unexpected response"
        elif reply.status == 429:
            short, day = window_of(reply, ""), window_of(reply, "-Day")
            # The quota has the form of the key, even if the request overrides it: only the current form has days.
            is_variant = not day if short else header(reply, "X-Envelope-Served") == "variant"
            name = "day" if error.code == "quota_exceeded" else "hour" if is_variant else "minute"
            window = day if name == "day" else short
            limit = f"{window.limit} requests" if window else "requests"
            whose = "of this key" if name == "hour" else "that the keys of your organization share"
            text = f"{what}: the {limit} {'an' if name == 'hour' else 'a'} {name} {whose} are used up"
            text += f" until {until}" if until else ""
        else:
            text = f"{what}: {error.text or 'no message'} (request_id {error.request_id}){again}"
        error.message = self._clean(text)
        return error

    def _clean(self, text: str) -> str:
        return printable(KEY_TEXT.sub(r"aik_\1_…", text.replace(self._key, "…")))[:500]

    def _tell_end(self, name: str, what: str, page: str, reply: Reply) -> None:
        text = header(reply, name)
        end, now = instant_of(text), now_of(reply)
        if text == "" or (end and name == "X-Key-Expires" and (end - now).days >= 30):
            return
        if end is None:
            when = f"ends: {text}."
        elif end > now:
            when = f"ends on {iso(end)}, in {(end - now).days} days."
        else:
            when = f"ended on {iso(end)} and may be refused at any time."
        self.tell_once(name, f"{name}: {what} {when} Read {self.url}{page}")

    def tell_once(self, kind: str, text: str) -> None:
        """Calls `notice` with the first line of a kind."""
        with self._lock:
            if kind in self._told:
                return
            self._told.add(kind)
        self.notice(self._clean(text))

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

    def command(name: str, help: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, parents=[common], help=help, description=help)

    command("list", "print every artist: identifier, tab, name")
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


def write_line(*texts: str) -> None:
    """Prints texts as one line, separated by tabs. Raises OSError if it cannot be written."""
    if sys.stdout is None:
        raise OSError("standard output is closed")
    try:
        print(*map(printable, texts), sep="\t", flush=True)
    except BrokenPipeError:
        raise
    except OSError as failure:
        raise OSError(f"Standard output: {failure.strerror or failure}") from failure


def run() -> typing.NoReturn:
    """Runs a program. A failure ends it with one line on standard error and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")  # a Windows console has another encoding
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # process 1 of a container ignores it
    try:
        main()
        sys.exit()
    except KeyboardInterrupt:
        sys.exit(130)
    except (ApiError, FileError, SettingError, OSError) as failure:
        text = str(failure)
        if isinstance(failure, ApiError) and failure.retry_after:
            again = f"Run this again then{', or with --wait' if failure.wait_helps else ''}."
            text = f"{text.rstrip('.')}. {again}"
        if isinstance(failure, OSError) and sys.stdout is not None:  # Python flushes it at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # A reader such as `head` has enough.
        sys.exit(141 if isinstance(failure, BrokenPipeError) else printable(text))


if __name__ == "__main__":
    run()
