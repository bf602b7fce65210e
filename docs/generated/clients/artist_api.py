"""A client of the Artist Intelligence API, current form: a program, and a library.

    export ARTIST_API_KEY=aik_...
    python3 artist_api.py shortlist                  prints every artist: identifier, tab, name
    python3 artist_api.py poll --state seen.json     prints who is added, every 15 minutes
    python3 artist_api.py copy shortlist.db          keeps a copy in an SQLite file: run it once a night

    from artist_api import ApiError, Client
    client = Client()                                # or Client(url, key, wait=True, timeout=30)
    for artist in client.artists(tier="breaking", include="history"):
        print(artist["name"], artist["history"])

A method returns the whole of what it names or raises: ApiError where the service refuses or does not answer, ValueError where
the key or the address cannot be one. It waits for quotas and outages, at most 5 minutes for a request. Nothing is printed but
one line on standard error while it waits, and where the key ends soon: Client(notice=...) takes these lines.

Needs Python 3.9 or later and no packages. A proxy is taken from HTTPS_PROXY.
SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import email.message
import email.utils
import http.client
import io
import json
import os
import random
import re
import socket
import sqlite3
import sys
import threading
import time
import typing
import urllib.parse
import urllib.request

# What the programs of this service share: where the key goes, one request, waiting, errors, notices.
#
#   service = Service("artist_api.py", url, key)   SettingError, a ValueError, names what is wrong with
#                                                  an address or a key, and never has its text
#   reply = service.send("/api/v1/health")         one request, whatever its status; ApiError where no
#                                                  whole answer came, or a redirect
#   reply = service.ask("/api/v1/artists", {...})  waits and asks again after 429, 5xx and lost
#                                                  connections; ApiError for all but 200 and 304
#   reply.status, reply.headers, reply.text        and reply.body, the parsed JSON, None where it is none
#   service.error_of(reply), service.quota         the ApiError that a refusal is; what is left
#   service.tell_once(kind, text)                  a notice, once for each kind
#   write_line(text, ...), printable(text)         one line without control characters
#   run(main)                                      ends a program: one line for ApiError, FileError and
#                                                  SettingError, and 1; 130 after Ctrl-C; end(text)
#
# Nothing but `run` and `end` ends the process. A Service may be used by several threads.


VERSION = "0.0.0"
DEFAULT_URL = "http://127.0.0.1:3000"
ATTEMPTS = 5
LONGEST_TIMEOUT = 2_147_483  # seconds: a socket takes no more than 2^31 - 1 ms
UTC = datetime.timezone.utc

# Control characters, line ends of Unicode, and the marks that change the direction of a line.
NOT_PRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
# The text of a key, whole or cut: of it only the id may be printed.
KEY_TEXT = re.compile("aik_([0-9A-Za-z]+)_[0-9A-Za-z]+")
IMF_FIXDATE = re.compile(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT")


def printable(value: object) -> str:
    """A text as one line: without control characters, and with a lone surrogate as U+FFFD."""
    return re.sub("[\ud800-\udfff]", "\ufffd", NOT_PRINTABLE.sub(" ", str(value)).strip())


class SettingError(ValueError):
    """A key or an address that can be none. Its text names it and what is wrong with it, never its value."""


class FileError(Exception):
    """A file that cannot be used, or that would lose what it has."""


def check_characters(name: str, text: str) -> str:
    """A key or address without the blanks around it. Raises SettingError, which never has its text."""
    text = text.strip(" \t\r\n")
    if text == "":
        raise SettingError(f"{name} is not set.")
    found = re.search("[^\x21-\x7e]", text)
    if found is None:
        return text
    kinds = {
        "\n": "a line end",
        "\r": "a line end",
        " ": "a blank",
        "\t": "a tab",
        "\u2026": "an ellipsis",
    }
    kinds.update(
        {
            "\ufeff": "a byte order mark",
            **dict.fromkeys("\u201c\u201d\u201e\u2018\u2019", "a typographic quote"),
        }
    )
    code = f"U+{ord(found[0]):04X}"
    kind = f"{kinds[found[0]]} ({code})" if found[0] in kinds else code
    raise SettingError(
        f"{name} has {kind} as its character {found.start() + 1}, which it cannot contain."
    )


def check_address(name: str, text: str) -> str:
    """The address of the service, without a "/" at its end. Raises SettingError, which never has its text."""
    text = check_characters(name, text)
    try:
        parts = urllib.parse.urlsplit(text)
        has_host = bool(parts.hostname) and (parts.port is None or parts.port > 0)
        (parts.hostname or "").encode("idna")  # fails for an empty or a too long part of the name
    except ValueError:
        has_host = False
    if not re.match("https?://", text, re.IGNORECASE):
        raise SettingError(f"{name} does not begin with http:// or https://.")
    if not has_host:
        raise SettingError(f"{name} has no valid host or port.")
    if "@" in parts.netloc:
        raise SettingError(f"{name} has a user or a password: the key is the only credential.")
    if "?" in text or "#" in text:
        raise SettingError(f"{name} has a query or a fragment.")
    return text.rstrip("/")


class ApiError(Exception):
    """A request without the answer that was asked for. Its text is one line, without control characters."""

    def __init__(
        self,
        message: str,
        status: int = 0,
        code: str = "",
        request_id: str = "",
        retry_after: float | None = None,
        retry_at: datetime.datetime | None = None,
        reply: Reply | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status  # 0 where no whole answer came
        self.code = code  # "not_found" …; "" where the service did not write the answer
        self.request_id = request_id  # for support; "" without one
        self.retry_after = retry_after  # seconds, as the answer says
        self.retry_at = retry_at  # the same as an instant, by the clock of the service
        self.reply = reply
        self.from_service = request_id != ""
        self.wait_helps = False  # whether a Service with wait=True would have asked on

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status in (0, 429) or self.status >= 500


class Window(typing.NamedTuple):
    limit: int
    remaining: int
    reset: datetime.datetime


class Quota(typing.NamedTuple):
    """What the last answer said of the quotas. The variant form has an hour in place of the minute."""

    minute: Window | None = None
    day: Window | None = None


class Reply(typing.NamedTuple):
    """An answer, whatever its status. Names of headers are found in any case."""

    status: int
    headers: email.message.Message
    text: str
    body: typing.Any  # the parsed JSON; None where it is none


def parse_json(text: str) -> typing.Any:
    """The value of a JSON text; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def is_redirect(reply: Reply) -> bool:
    return 300 <= reply.status < 400 and reply.status != 304


def header(reply: Reply, name: str) -> str:
    """The text of a header, "" without it."""
    return str(reply.headers.get(name, ""))


def instant_of(text: str) -> datetime.datetime | None:
    """The instant of an IMF-fixdate; None where the text is none."""
    try:
        return (
            email.utils.parsedate_to_datetime(text).astimezone(UTC)
            if IMF_FIXDATE.fullmatch(text)
            else None
        )
    except (ValueError, OverflowError, TypeError):  # TypeError: Python 3.9
        return None


def seconds_of(reply: Reply) -> float | None:
    """The seconds that Retry-After says, at least 1: a number, or a date by the clock that wrote it."""
    text = header(reply, "Retry-After").strip()
    if re.fullmatch("[0-9]{1,9}", text):
        return max(1, int(text))
    until = instant_of(text)
    return None if until is None else max(1, round((until - now_of(reply)).total_seconds()))


def now_of(reply: Reply) -> datetime.datetime:
    """The time by the clock of who answered: that of this machine may be wrong."""
    return instant_of(header(reply, "Date")) or datetime.datetime.now(UTC)


def window_of(reply: Reply, name: str) -> Window | None:
    texts = [header(reply, f"X-RateLimit{name}-{part}") for part in ("Limit", "Remaining", "Reset")]
    if not all(re.fullmatch("[0-9]{1,10}", text) for text in texts):
        return None
    limit, remaining, reset = map(int, texts)
    return Window(limit, remaining, datetime.datetime.fromtimestamp(reset, UTC))


def iso(instant: datetime.datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


def write_error(text: str) -> None:
    """Writes a line to standard error. That nobody reads it changes nothing."""
    if sys.stderr is None:  # for which print takes standard output
        return
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass


class TimedFile(io.RawIOBase):
    """What is read from a socket, until an instant by time.monotonic()."""

    def __init__(self, connection: socket.socket, until: float) -> None:
        self.connection = connection
        self.until = until
        self.file = connection.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: typing.Any) -> int | None:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self.connection.settimeout(left)
        return self.file.readinto(buffer)

    def close(self) -> None:
        self.file.close()
        super().close()


class Timed(urllib.request.AbstractHTTPHandler):
    """Bounds the time for head and body together: that of a socket is for each part that arrives."""

    def do_open(
        self, http_class: typing.Any, request: typing.Any, **options: typing.Any
    ) -> typing.Any:
        until = time.monotonic() + request.timeout

        def respond(connection: socket.socket, **of: typing.Any) -> http.client.HTTPResponse:
            response = http.client.HTTPResponse(connection, **of)
            response.fp.close()
            response.fp = io.BufferedReader(TimedFile(connection, until))
            return response

        def connect(host: str, **how: typing.Any) -> http.client.HTTPConnection:
            connection = http_class(host, **how)
            connection.response_class = respond
            return typing.cast(http.client.HTTPConnection, connection)

        return super().do_open(connect, request, **options)


class TimedHTTP(Timed, urllib.request.HTTPHandler):
    pass


class TimedHTTPS(Timed, urllib.request.HTTPSHandler):
    pass


class Service:
    """The service at an address, asked with a key. By default both are those of the environment."""

    def __init__(
        self,
        program: str,
        url: str | None = None,
        key: str | None = None,
        wait: bool = False,
        timeout: float = 30,
        notice: typing.Callable[[str], object] = write_error,
        sleep: typing.Callable[[float], object] = time.sleep,
        headers: typing.Mapping[str, str] | None = None,
    ) -> None:
        """`timeout`: seconds for one answer, at most 2,147,483. `notice` gets each line about waiting, and about
        an end of the key or the form. `sleep` waits so many seconds. `headers` are sent with every request.
        """
        address = os.environ.get("ARTIST_API_URL") or DEFAULT_URL
        self.url = check_address(
            "ARTIST_API_URL" if url is None else "url", address if url is None else url
        )
        secret = os.environ.get("ARTIST_API_KEY", "")
        self._key = check_characters(
            "ARTIST_API_KEY" if key is None else "key", secret if key is None else key
        )
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
            "User-Agent": f"{program}/{VERSION}",
            **(headers or {}),
        }
        self._told: set[str] = set()
        self._lock = threading.Lock()
        # Without handlers of redirects and of errors: every answer is returned as it came.
        self._opener = urllib.request.OpenerDirector()
        for handler in (
            urllib.request.ProxyHandler,
            TimedHTTP,
            TimedHTTPS,
            urllib.request.UnknownHandler,
        ):
            self._opener.add_handler(handler())

    def send(self, path: str, headers: typing.Mapping[str, str] | None = None) -> Reply:
        """Sends one GET. Raises ApiError where no whole answer came, and for a redirect; SettingError where
        urllib cannot read the proxy in the environment.
        """
        if not re.fullmatch("/[\x21-\x7e]*", path):
            raise ValueError(
                "A path begins with / and has no blank: quote its parts with urllib.parse.quote."
            )
        with self._lock:
            self.requests += 1
        request = urllib.request.Request(
            self.url + path, headers={**self._headers, **(headers or {})}
        )
        content = bytearray()
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                while part := response.read1(1 << 16):
                    content += part
                if response.length or (response.status == 200 and not content):
                    raise http.client.IncompleteRead(b"", response.length)
        except (OSError, http.client.HTTPException) as failure:
            reason = getattr(failure, "reason", failure)
            if isinstance(failure, http.client.IncompleteRead):
                reason = "the answer was cut off"
            raise ApiError(
                self._clean(f"No answer from {self.url}: {reason or type(reason).__name__}")
            ) from failure
        except ValueError:  # its text, and that of what it follows, may hold a password
            raise SettingError("HTTPS_PROXY or HTTP_PROXY is no address of a proxy.") from None
        text = content.decode("utf-8", "replace")
        reply = Reply(response.status, response.headers, text, parse_json(text))
        if is_redirect(reply):
            raise self.error_of(reply)
        self._read_headers(reply)
        return reply

    def ask(self, path: str, headers: typing.Mapping[str, str] | None = None) -> Reply:
        """Sends a GET up to 5 times: after 429, 5xx and half an answer it waits as long as Retry-After
        says, else longer each time. With `wait`, a 429 of the service does not count as one of the 5.
        Raises ApiError for all but 200, which is JSON, and 304.
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
            # Half a body of the service, which no length and no chunk showed, is as good as none.
            if not error.may_pass and not (error.status == 200 and error.from_service):
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
        """The error that an answer is: what its status, its body and its headers say, in one line."""
        body = reply.body if isinstance(reply.body, dict) else {}
        error = body.get("error")
        told = (
            error
            if isinstance(error, dict)
            else {**body, "code": error} if isinstance(error, str) else {}
        )
        code, message = str(told.get("code", "")), str(told.get("message", ""))
        request_id = header(reply, "X-Request-Id") or str(told.get("request_id", ""))
        seconds = seconds_of(reply)
        retry_at = None if seconds is None else now_of(reply) + datetime.timedelta(seconds=seconds)
        again = "" if retry_at is None else f" Ask again at {iso(retry_at)}."
        what = f"{reply.status} {code}".rstrip()
        if is_redirect(reply):
            target = urllib.parse.urljoin(f"{self.url}/", header(reply, "Location")).partition("?")[
                0
            ]
            text = f"{reply.status} redirects to {target}, which is not asked: the key goes to {self.url} only."
        elif not request_id:
            title = re.search("<title>([^<]*)", reply.text, re.IGNORECASE)
            said = title[1] if title else reply.text
            text = f"{reply.status} from something before the service, not from itself (no X-Request-Id): {printable(said)[:100]}.{again}"
        elif reply.status in (200, 304):
            text = f"{reply.status} that is not the answer to this request"
        elif reply.status == 429:
            short, day = window_of(reply, ""), window_of(reply, "-Day")
            # the quota is that of the key's own form, whichever it asked for: only the current one has days
            is_variant = not day if short else header(reply, "X-Envelope-Served") == "variant"
            name = "day" if code == "quota_exceeded" else "hour" if is_variant else "minute"
            window = day if name == "day" else short
            of = f"{window.limit} requests {'an' if name == 'hour' else 'a'}" if window else "this"
            text = f"{what}: the quota of {of} {name} is spent"
            text += f" until {iso(retry_at)}" if retry_at else ""
        else:
            text = f"{what}: {message or 'no message'} (request_id {request_id}){again}"
        return ApiError(self._clean(text), reply.status, code, request_id, seconds, retry_at, reply)

    def _clean(self, text: str) -> str:
        return printable(KEY_TEXT.sub(r"aik_\1_…", text.replace(self._key, "…")))[:500]

    def _read_headers(self, reply: Reply) -> None:
        quota = Quota(window_of(reply, ""), window_of(reply, "-Day"))
        if quota.minute:
            self.quota = quota
        sunset, deprecation = header(reply, "Sunset"), header(reply, "Deprecation")
        if sunset:
            self._tell_end(
                "Sunset", "the form in which this key is answered", sunset, self._link(reply), reply
            )
        elif deprecation:
            self.tell_once(
                "Deprecation",
                f"Deprecation: the form of these answers is deprecated. Read {self._link(reply)}",
            )
        expires = header(reply, "X-Key-Expires")
        if expires:
            self._tell_end("X-Key-Expires", "this key", expires, f"{self.url}/docs", reply)

    def _tell_end(self, kind: str, what: str, text: str, page: str, reply: Reply) -> None:
        end, now = instant_of(text), now_of(reply)
        if end is None:
            when = f"ends: {text}."
        elif end > now:
            when = f"ends on {iso(end)}, in {(end - now).days} days."
        else:
            when = f"ended on {iso(end)} and may be refused at any time."
        self.tell_once(kind, f"{kind}: {what} {when} Read {page}")

    def _link(self, reply: Reply) -> str:
        """Where to read on: what Link names, else the page of the service."""
        found = re.search(r'<([^>]*)>\s*;\s*rel="?(?:sunset|deprecation)\b', header(reply, "Link"))
        return urllib.parse.urljoin(f"{self.url}/", found[1]) if found else f"{self.url}/docs"

    def tell_once(self, kind: str, text: str) -> None:
        """Gives `notice` a line, unless it got one of this kind before."""
        with self._lock:
            if kind in self._told:
                return
            self._told.add(kind)
        self.notice(self._clean(text))


def write_line(*texts: str) -> None:
    """Prints texts as one line, with tabs between, and characters that the encoding of standard output lacks as "\\u6708".
    Raises OSError where nobody takes it, so that no part is told as the whole.
    """
    if sys.stdout is None:
        raise OSError("standard output is closed")
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"  # a notebook may have none
    line = "\t".join(map(printable, texts)).encode(encoding, "backslashreplace")
    try:
        print(line.decode(encoding), flush=True)
    except BrokenPipeError:
        raise
    except OSError as failure:
        raise OSError(f"Standard output: {failure.strerror or failure}") from failure


def end(text: str) -> typing.NoReturn:
    """Ends the program with one line on standard error and 1."""
    sys.exit(printable(text))


def run(main: typing.Callable[[], None]) -> typing.NoReturn:
    """Runs a program: where it fails, it ends with one line on standard error and 1, and with 130 after Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, io.TextIOWrapper
        ):  # names are in any script, also on a console of Windows
            stream.reconfigure(encoding="utf-8")
    try:
        main()
        sys.exit()
    except KeyboardInterrupt:
        sys.exit(130)
    except ApiError as failure:
        again = f". Run this again then{', or with --wait' if failure.wait_helps else ''}."
        end(str(failure).rstrip(".") + again if failure.retry_after else str(failure))
    except (FileError, SettingError) as failure:
        end(str(failure))
    except OSError as failure:
        if sys.stdout is not None:
            os.dup2(
                os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
            )  # what is left is flushed at the end
        if isinstance(failure, BrokenPipeError):  # who read it, for example `head`, has enough
            sys.exit(141)
        end(str(failure))


HEALTH = "/api/v1/health"
Json = dict[str, typing.Any]
Filters = typing.Mapping[str, typing.Optional[str]]


class Spikes(typing.TypedDict):
    items: list[Json]
    window: Json
    engine: Json


class Client(Service):
    """The service in the current form. `url` and `key` are by default those of ARTIST_API_URL and ARTIST_API_KEY.

    `wait`: wait for a quota however long it takes. `timeout`: seconds for one answer. `quota`: what the last answer left.
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
        # A key that is pinned to the variant form may read this one where it is allowed to.
        super().__init__(
            "artist_api.py", url, key, wait, timeout, notice, sleep, {"X-Envelope": "current"}
        )

    def get(
        self, path: str, params: typing.Mapping[str, object] | None = None, tag: str = ""
    ) -> Reply:
        """The answer to any path: its `body`, an object, and its `headers`. With the ETag of an answer before
        as `tag`, its status is 304 and its body None where nothing has changed.
        """
        query = urllib.parse.urlencode(
            {name: value for name, value in (params or {}).items() if value is not None}
        )
        joined = f"{path}{'&' if '?' in path else '?'}{query}" if query else path
        reply = self.ask(joined, {"If-None-Match": tag} if tag else None)
        # Health is the same in both forms, and is answered where the key is refused.
        if header(reply, "X-Envelope-Served") == "variant" and path != HEALTH:
            raise ApiError(
                f"This key is answered in the variant form, and this client reads the current form: see {self.url}/docs/migration",
                reply.status,
            )
        if not (isinstance(reply.body, dict) or (tag and reply.status == 304)):
            raise self.error_of(reply)
        return reply

    def items(self, reply: Reply, identifier: str) -> list[Json]:
        """The items of a list. Raises ApiError where the answer is another one."""
        data, meta = reply.body.get("data"), reply.body.get("meta")
        cursor = meta.get("next_cursor", 0) if isinstance(meta, dict) else 0
        is_list = isinstance(data, list) and all(
            isinstance(item, dict) and identifier in item for item in data
        )
        if not is_list or not isinstance(cursor, (str, type(None))):
            raise self.error_of(reply)
        return typing.cast("list[Json]", data)

    def pages(
        self, filters: Filters, page_size: int = 100, tag: str = ""
    ) -> typing.Iterator[Reply]:
        """The pages of artists, one request each, as they are needed. `tag` is that of the first page before."""
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
                raise ApiError("A page names itself as the next one.", reply.status, reply=reply)
            yield reply
            cursor = following
            if cursor is None:
                return

    def artists(self, page_size: int = 100, **filters: str | None) -> typing.Iterator[Json]:
        """All artists, once each, page by page: filters are name, tier, added_since, id; include="history"."""
        seen = set()  # one whose date_added is corrected meanwhile is on two pages
        for page in self.pages(filters, page_size):
            if filters.get("include") == "history":
                self.has_whole_histories(page)
            for artist in page.body["data"]:
                if artist["id"] not in seen:
                    seen.add(artist["id"])
                    yield artist

    def artist(self, id: str) -> Json:
        """One artist with its history. Raises ApiError, whose status is 404 where there is none."""
        reply = self.get("/api/v1/artists/" + urllib.parse.quote(id, safe=""))
        data = reply.body.get("data")
        if not isinstance(data, dict) or "id" not in data:
            raise self.error_of(reply)
        self.has_whole_histories(reply)
        return data

    def has_whole_histories(self, reply: Reply) -> bool:
        """Whether the histories of an answer lack nothing, else a notice: the service gives it no ETag
        while it cannot read a part of them.
        """
        if header(reply, "ETag"):
            return True
        self.tell_once("history", "history: the service cannot read a part of it: points are missing")
        return False

    def added_since(self, day: str) -> typing.Iterator[Json]:
        """All artists that were added on this day, "2026-11-25", or later. /added has at most 100."""
        return self.artists(added_since=day)

    def spikes(self, days: int | None = None) -> Spikes:
        reply = self.get("/api/v1/spikes", {"days": days})
        items, meta = self.items(reply, "artist_id"), reply.body["meta"]
        return {"items": items, "window": meta.get("window", {}), "engine": meta.get("engine", {})}

    def signings(self) -> list[Json]:
        return self.items(self.get("/api/v1/signings"), "artist_id")

    def today(self) -> datetime.date:
        """The day of the service (UTC), for no quota: the clock of this machine may be wrong."""
        reply = self.get(HEALTH)
        try:
            return day_of(str(reply.body.get("generated_at"))[:10])
        except ValueError:
            raise self.error_of(reply) from None


def day_of(text: str) -> datetime.date:
    """The day that YYYY-MM-DD names. Raises ValueError for another text, and for a day without one before it."""
    day = datetime.date.fromisoformat(text)
    if day.isoformat() != text or day == datetime.date.min:
        raise ValueError(text)
    return day


def write_artist(artist: Json) -> None:
    write_line(str(artist["id"]), str(artist.get("name", "")))


def read_state(file: str) -> tuple[datetime.date | None, set[str]]:
    """The day of the last poll and the artists that it saw. Raises FileError where the file is another
    one, or cannot be written.
    """
    place = os.path.realpath(file)
    if os.path.isdir(place) or not os.access(os.path.dirname(place), os.W_OK):
        raise FileError(f"{file} cannot be written.")
    try:
        with open(file, encoding="utf-8") as stream:
            state = parse_json(stream.read())
        seen = state["seen"]
        if not isinstance(seen, list) or not all(isinstance(id, str) for id in seen):
            raise ValueError("seen is no list of texts")
        return day_of(state["day"]), set(seen)
    except FileNotFoundError:
        return None, set()
    except (ValueError, KeyError, TypeError):
        raise FileError(f"{file} is not a file that poll has written.") from None


def write_state(file: str, day: datetime.date, seen: set[str]) -> None:
    """Writes the whole file or nothing, through a link. Raises FileError where it cannot be written."""
    place = os.path.realpath(file)
    part = f"{place}.{os.getpid()}"
    try:
        with open(part, "w", encoding="utf-8") as stream:
            json.dump({"day": day.isoformat(), "seen": sorted(seen)}, stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, place)
    except OSError as failure:
        raise FileError(f"{file} cannot be written: {failure.strerror or failure}.") from failure
    finally:
        if os.path.exists(part):
            os.remove(part)


def poll(
    client: Client,
    state: str | None = None,
    polls: int | None = None,
    page_size: int = 100,
) -> None:
    """Prints who was added since the last poll, every 15 minutes: 96 of the 1,000 requests a day, more only
    where a day has more than a page. It reads from the day before the last poll on, to the last page.
    """
    day, seen = (None, set()) if state is None else read_state(state)
    tag, since, is_answered = "", None, False
    turn = 0
    while True:
        turn += 1
        try:
            today = client.today()
            start = ((day or today) - datetime.timedelta(days=1)).isoformat()
            pages = list(
                client.pages({"added_since": start}, page_size, tag if start == since else "")
            )
        except ApiError as error:
            if not (error.may_pass and is_answered and turn != polls):
                raise
            client.notice(f"{error}: asking again in 15 minutes")
        else:
            since, day, is_answered = start, today, True
            # The tag of a first page speaks for the others only where there are none.
            tag = header(pages[0], "ETag") if len(pages) == 1 else ""
            if pages[0].status != 304:
                artists = {artist["id"]: artist for page in pages for artist in page.body["data"]}
                for artist in artists.values():
                    if artist["id"] not in seen:
                        write_artist(artist)
                seen = set(artists)
            if state is not None:
                write_state(state, day, seen)
        if turn == polls:
            return
        client.sleep(15 * 60)


KEY = ("kind", "artist", "song", "metric", "day")
COLUMNS = ", ".join(f"{name} TEXT" for name in (*KEY, "answer"))
PRIMARY_KEY = f"PRIMARY KEY ({', '.join(KEY)})"
# What is still there was last seen in the last night that read its kind, and needs no writing for that.
LAST_NIGHT = "(SELECT max(nights.day) FROM nights WHERE nights.kind = kept.kind)"
SEEN = f"first_seen, coalesce(gone_after, {LAST_NIGHT}) AS last_seen, gone"
VIEWS = {
    "artists": "artist AS id, json_extract(answer, '$.name') AS name, answer",
    "songs": "artist AS artist_id, song AS id, json_extract(answer, '$.name') AS name, answer",
    "points": "artist AS artist_id, song AS song_id, metric, day, json_extract(answer, '$.value') AS value, answer",
    "spikes": "artist AS artist_id, metric, answer",
    "signings": "artist AS artist_id, answer",
}
SCHEMA = [
    "CREATE TABLE IF NOT EXISTS copy.nights (kind TEXT, day TEXT, PRIMARY KEY (kind, day))",
    "CREATE TABLE IF NOT EXISTS copy.service (address TEXT)",
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
    """The rows of an artist: itself, its songs, and the points of both. Those of the artist itself have no song."""
    songs = artist.pop("songs")
    for song, owner in [("", artist), *((song["id"], song) for song in songs)]:
        for metric, points in owner.pop("history", {}).items():
            for point in points:
                yield "points", artist["id"], song, metric, point["date"], point
        yield "songs" if song else "artists", artist["id"], song, "", "", owner


def check_copy(file: str) -> None:
    """Raises FileError where a file is something else than a copy, or cannot be written."""
    place = file if os.path.exists(file) else os.path.dirname(file)
    if os.path.isdir(file) or not os.access(place, os.W_OK):
        raise FileError(f"{file} cannot be written.")
    if not os.path.exists(file):
        return
    expected = {"nights": "table", "kept": "table", **dict.fromkeys(VIEWS, "view")}
    with contextlib.closing(sqlite3.connect(file)) as database:
        found = dict(
            database.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')")
        )
        columns = [column[1] for column in database.execute("PRAGMA table_info(kept)")]
    is_copy = expected.items() <= found.items() and columns[: len(KEY)] == list(KEY)
    if found and not is_copy:
        raise FileError(f"{file} is a database of something else. Nothing was written.")


class Night:
    """What a run reads, in a temporary database; then it is written into the copy in one transaction."""

    def __init__(self, client: Client, page_size: int) -> None:
        self.client = client
        self.page_size = page_size
        self.pages = 0
        self.kinds = ["artists", "songs", "points"]
        self.database = sqlite3.connect("", timeout=60, isolation_level=None)
        self.database.execute(f"CREATE TABLE night ({COLUMNS}, {PRIMARY_KEY}) WITHOUT ROWID")
        self.database.execute("CREATE TABLE unread (artist)")  # whose history is not whole

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
        """Spikes and signings. Those that the key has no scope for stay in the copy as they are."""
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
                    f"The view {kind} stays as it is: this key has no scope {kind}:read."
                )
            else:
                self.kinds.append(kind)
                self.keep(
                    (kind, item["artist_id"], "", item.get("metric", ""), "", item)
                    for item in items
                )

    def attach(self, file: str) -> bool:
        """Opens the copy beside what was read. Says whether it has been written before."""
        self.database.execute("ATTACH DATABASE ? AS copy", (file,))
        return self.database.execute("SELECT 1 FROM copy.sqlite_master").fetchone() is not None

    def check_gone(self, file: str, is_confirmed: bool) -> None:
        """Looks again for artists that seem to be gone: one whose date_added changes while pages are
        read may be on none. Raises FileError where more than half of all artists are gone.
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
            addresses = [
                row[0] for row in self.database.execute("SELECT address FROM copy.service")
            ]
            other = (
                f" The copy is of {addresses[0]}, this is {self.client.url}."
                if addresses[:1] != [self.client.url]
                else ""
            )
            raise FileError(
                f"{len(missing)} of {total} artists of {file} would be gone: nothing was written.{other if addresses else ''}"
                " If that is so, run it with --yes."
            )
        if len(missing) > self.pages:
            self.read_artists()
        else:
            for id in missing:
                self.read_artists(id)

    def create_schema(self) -> None:
        """Creates what is missing. In copies of earlier versions a night is that of every kind: it becomes one of each."""
        execute = self.database.execute
        nights: list[tuple[str, str]] = []
        if [column[1] for column in execute("PRAGMA copy.table_info(nights)")] == ["day"]:
            days = [day for (day,) in execute("SELECT day FROM copy.nights")]
            nights = [(kind, day) for kind in VIEWS for day in days]
            for name in VIEWS:
                execute(f"DROP VIEW copy.{name}")
            execute("DROP TABLE copy.nights")
        for statement in SCHEMA:
            execute(statement)
        self.database.executemany("INSERT INTO copy.nights VALUES (?, ?)", nights)

    def write(self, file: str, day: str) -> str:
        """Writes what differs, in one transaction. Returns how many rows did. Raises FileError where another run
        read on a later day, and has written it.
        """
        execute = self.database.execute
        execute("BEGIN IMMEDIATE")
        self.create_schema()
        [newest] = execute("SELECT max(day) FROM copy.nights").fetchone()
        if newest is not None and newest > day:
            raise FileError(f"{file} is of {newest}, this run read on {day}: nothing was written.")
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
        if (
            execute("SELECT 1 FROM copy.service WHERE address = ?", (self.client.url,)).fetchone()
            is None
        ):
            execute("DELETE FROM copy.service")
            execute("INSERT INTO copy.service VALUES (?)", (self.client.url,))
        execute("COMMIT")
        return f"{new} rows are new, {written - new} changed, {gone} are gone"


def copy(client: Client, file: str, page_size: int = 100, is_confirmed: bool = False) -> str:
    """Reads everything, then writes what differs in one transaction: what ends it before leaves the file as it was.

    The file has the views artists, songs, points, spikes and signings. `gone` is the day (UTC) on which a row was first
    missing, `last_seen` the last one on which it was there, or the service could not read a part of its history. Returns
    what changed, in a sentence.
    """
    file = os.path.abspath(file)  # SQLite takes "" and ":memory:" for a database that is not kept
    try:
        check_copy(file)
        day = client.today().isoformat()
        night = Night(client, page_size)
        with contextlib.closing(night.database):
            try:
                night.read_artists()
                night.read_signals()
            except sqlite3.OperationalError as failure:
                raise FileError(
                    f"The temporary folder of SQLite: {failure}. SQLITE_TMPDIR (on Windows TMP) names another one."
                ) from failure
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
    common.add_argument(
        "--base-url", metavar="URL", help="address of the service, else the variable ARTIST_API_URL"
    )
    common.add_argument(
        "--page-size", type=count, default=100, metavar="N", help="artists in a request (100)"
    )
    common.add_argument(
        "--timeout",
        type=above_zero,
        default=30,
        metavar="S",
        help="seconds for one answer (30)",
    )
    common.add_argument(
        "--wait",
        action="store_true",
        help="wait for a quota however long it takes, not for at most 5 minutes",
    )
    common.add_argument(
        "--wait-factor",
        type=above_zero,
        default=1,
        metavar="X",
        help="multiplies every wait: 0.01 to try it out",
    )
    parser = argparse.ArgumentParser(
        epilog="The key is read from the variable ARTIST_API_KEY, a proxy from HTTPS_PROXY."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser(
        "shortlist", parents=[common], help="print every artist: identifier, tab, name"
    )
    help = "print who was added, every 15 minutes, from yesterday (UTC) on. What a restart prints again is what was printed\
 and not yet written to the state: at most one poll; without --state all of the last two days"
    polling = commands.add_parser("poll", parents=[common], help=help, description=help)
    polling.add_argument(
        "--state", metavar="FILE", help="remember in a file who was printed, also over a restart"
    )
    polling.add_argument(
        "--polls",
        type=count,
        metavar="N",
        help="end after this many polls; without it poll runs until you end it. From cron: poll --polls 1 --state /full/path/seen.json",
    )
    help = "keep a copy in an SQLite file, for which the key needs artists:read. Spikes and signings are copied where it has\
 spikes:read and signings:read"
    copying = commands.add_parser("copy", parents=[common], help=help, description=help)
    copying.add_argument("file", metavar="FILE")
    copying.add_argument(
        "--yes",
        action="store_true",
        help="write it although more than half of the artists are gone",
    )
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
        left = (
            f" {day.remaining} of {day.limit} requests a day are left until {iso(day.reset)}."
            if day
            else ""
        )
        write_line(f"{changes}, after {client.requests} requests.{left}")
    elif options.command == "poll":
        poll(client, options.state, options.polls, options.page_size)
    else:
        for artist in client.artists(options.page_size):
            write_artist(artist)


if __name__ == "__main__":
    run(main)
