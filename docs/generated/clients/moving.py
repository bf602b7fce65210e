"""Answers requests of the variant form from a gateway that it asks in the current form, for a
program that keeps its parser.

For a program in any language, which only gets another address, http://127.0.0.1:8081:

    ARTIST_API_KEY=aik_... python3 moving.py serve --ids ids.csv --labels labels.txt

The key is of the current form, or may choose its form; only programs of this machine are answered.
"ids.csv" is the list of identifiers that we sent you, "labels.txt" has a tracked label a line;
"--partner" takes the name in _meta.authenticated_as. To prove that nothing changes, let
"--record calls.txt" write down what your program asks for, and compare the answers of both forms to
that, with a key that may choose its form:

    ARTIST_API_KEY=aik_... python3 moving.py check calls.txt --ids ids.csv --labels labels.txt

A line may have the call that your program sends instead behind it, "-" for none, and {today-14} in
it for a day; "check" then asks that:

    /api/v1/artists?new=14&tier=watch /api/v1/artists?added_since={today-14}&tier=watch&limit=100

"serve --without photo" leaves a member out: a program that does not miss it need not change for it.
See --help. For a program in Python, as a library:

    rows = csv.DictReader(open("ids.csv"))
    ids = {row["current"]: row["variant"] for row in rows}
    given = Given(ids, labels_tracked=["Sony Music"], partner="Acme Radio")
    status, body = ask_as_variant("/api/v1/artists?new=7&fields=basic", send, given)

"send" is your transport: it sends a GET with your key, and returns the status and the parsed body.
A request of the variant form becomes one, or as many as there are pages of 100 artists; with new=,
one for health, which spends no quota, comes first. adjusted_of() is what X-Params-Adjusted says.

Needs Python 3.9 or later and no packages.
SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
"""

from __future__ import annotations

import argparse
import csv
import datetime
import decimal
import email.message
import email.utils
import http.client
import http.server
import io
import json
import math
import os
import random
import re
import socket
import sys
import threading
import time
import typing
import urllib.parse
import urllib.request
import uuid

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


# What json.loads() returns: the members are those of the contracts.
Json = typing.Any
Answer = typing.Tuple[int, Json]
Send = typing.Callable[[str], Answer]
# What counts for the text of a parameter. None cannot be understood, and so matches nothing.
Used = typing.Union[str, int, None]
Query = typing.Dict[str, Used]
# A request of the variant form, and what is sent instead: "-" for nothing, "" where it is not said.
Call = typing.Tuple[str, str]


class Given(typing.NamedTuple):
    """What no answer of the current form has."""

    # The identifier in the variant form by that in the current form, which an artist that is
    # missing here keeps.
    document_ids: typing.Mapping[str, str]
    labels_tracked: typing.Sequence[str]
    # The name in _meta.authenticated_as.
    partner: str


# The members that are not derived: they are given, or differ between any two answers. "message" is
# a text for people.
NOT_DERIVED = [
    "data[].id",
    "_meta.authenticated_as",
    "_meta.labels_tracked[]",
    "_meta.timestamp",
    "message",
]

TIERS = ["watch", "on-the-rise", "breaking", "established"]

ERRORS = {
    "unauthorized": (401, "unauthorized"),
    "insufficient_scope": (401, "unauthorized"),
    "not_found": (404, "not_found"),
    "method_not_allowed": (405, "method_not_allowed"),
    "rate_limited": (429, "rate_limited"),
    "quota_exceeded": (429, "rate_limited"),
}


def error_of(code: str, message: str) -> Answer:
    status, error = ERRORS.get(code, (500, "server_error"))
    return status, {"error": error, "message": re.sub(r"aik_\w+", "aik_…", message)}


def variant_error(body: Json) -> Answer:
    """An error of the current form as the variant form reports it."""
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return error_of("", "The answer is not one of the gateway.")
    return error_of(str(error.get("code")), str(error.get("message")))


def known(**members: Json) -> dict[str, Json]:
    """An object without the members that are unknown."""
    return {name: value for name, value in members.items() if value is not None}


def artist_of(artist: Json, basic: bool, given: Given) -> Json:
    return known(
        id=given.document_ids.get(artist["id"], artist["id"]),
        name=artist["name"],
        photo=artist.get("photo_url"),
        date_added=artist.get("date_added"),
        signed_status=artist["signing"].get("status", "unknown"),
        tier=artist.get("tier"),
        links=artist["links"],
        metrics=artist["metrics"],
        songs=None if basic else [song_of(song) for song in artist["songs"]],
        scouting_report=None if basic else artist.get("editorial", {}).get("scouting_report"),
        total_songs=len(artist["songs"]),
    )


def song_of(song: Json) -> Json:
    metrics = ("streams", "ugc_tiktok", "ugc_instagram")
    numbers = {name: song["metrics"].get(name) for name in metrics}
    return known(id=song["id"], name=song["name"], **numbers, artwork=song.get("artwork"))


def spike_of(spike: Json) -> Json:
    names = ("artist_name", "metric", "previous", "current", "delta", "percent_change")
    same = {name: spike[name] for name in names}
    return known(**same, period_days=spike["window"]["days"], tiktok=spike["links"].get("tiktok"))


def signing_of(signing: Json) -> Json:
    return known(
        artist_name=signing["artist_name"],
        signed_status=signing["signing"].get("status", "unknown"),
        label_songs=[
            known(
                song_name=song["song_name"],
                pline=song["p_line"],
                label_detected=song["label_detected"],
            )
            for song in signing["label_songs"]
        ],
        total_label_songs=signing["total_label_songs"],
    )


def list_of(data: Json, meta: Json, given: Given, more: Json, more_meta: Json) -> Answer:
    about = known(
        api_version=meta["api_version"],
        authenticated_as=given.partner,
        timestamp=meta["generated_at"],
        **more_meta,
    )
    return 200, {"success": True, "count": len(data), **more, "data": data, "_meta": about}


PARAMETERS = {
    "/api/v1/artists": ["id", "new", "tier", "signed", "fields", "limit"],
    "/api/v1/spikes": ["days"],
    "/api/v1/signings": [],
}
HEALTH = "/api/v1/health"
CANNOT_CHOOSE = "ARTIST_API_KEY may not choose its form: ask us to let it"
NUMBERS = {"limit": (200, 100), "days": (30, 3)}  # the most, and what counts where it is no number
LONGEST_QUERY = 2048  # bytes
DAY = re.compile(r"\{today(?:-([0-9]{1,5}))?\}")  # in a call that is sent instead


def used_of(name: str, text: str) -> tuple[Used, bool]:
    """What counts for the text of a parameter, and whether that is not what the text says."""
    number = int(text) if re.fullmatch("[0-9]+", text) else None
    if name in NUMBERS:
        most, default = NUMBERS[name]
        used = default if number is None else min(max(number, 1), most)
        return used, used != number
    if name == "new":
        days = None if number is None else min(number, 2**53 - 1)
        return days, days is None or days != number
    if name == "fields":
        return ("basic", False) if text == "basic" else ("all", True)
    if name == "signed":
        text = text.lower()
    values = {"id": [text] if text else [], "tier": TIERS, "signed": ["true", "false"]}
    return (text, False) if text in values[name] else (None, True)


def read_query(path: str, text: str) -> tuple[Query, list[str]]:
    """What counts for each parameter of a query, and what was repaired."""
    if len(text) > LONGEST_QUERY:
        return {"query": None}, ["query=none"]
    sent: dict[str, list[str]] = {}
    used: Query = {}
    adjusted = []
    for name, value in urllib.parse.parse_qsl(text, keep_blank_values=True):
        sent.setdefault(name, []).append(value)
    for name in PARAMETERS[path]:
        if name in sent:
            used[name], is_repaired = used_of(name, sent[name][0])
            if is_repaired or len(sent[name]) > 1:
                told = "first" if name in ("id", "tier") else used[name]
                adjusted.append(f"{name}={'none' if used[name] is None else told}")
    unknown = len(sent.keys() - set(PARAMETERS[path]))
    return used, adjusted + ([f"unknown={unknown}"] if unknown else [])


def adjusted_of(target: str) -> str:
    """What X-Params-Adjusted says of a request; empty where the variant form has no such header."""
    path, _, text = target.partition("?")
    return ", ".join(read_query(path, text)[1]) if path in PARAMETERS else ""


def day_before(instant: str, days: Json) -> str:
    """The day so many days before an instant, and not before the first of the calendar."""
    today = datetime.date.fromisoformat(instant[:10])
    return datetime.date.fromordinal(max(today.toordinal() - days, 1)).isoformat()


def passes(artist: Json, query: Query, now: str) -> bool:
    """Whether an artist fulfils the filters at an instant."""
    day = artist.get("date_added", "")
    is_signed = artist["signing"].get("status") == "signed"
    return (
        query.get("tier", artist.get("tier")) == artist.get("tier")
        and ("signed" not in query or is_signed == (query["signed"] == "true"))
        and ("new" not in query or day_before(now, query["new"]) <= day <= now[:10])
    )


def ask_artists(query: Query, send: Send, given: Given, instead: str) -> Answer:
    """Joins as many pages of the current form as it takes, and filters where that has no filter."""
    is_nothing = None in query.values() and not instead
    wanted = 0 if is_nothing else int(query.get("limit") or 100)
    is_thinned = "signed" in query or "new" in query
    has_pages = is_thinned or wanted > 100 or not instead
    asked: dict[str, Json] = {"limit": 100 if is_thinned else min(max(wanted, 1), 100)}
    id = query.get("id")
    if id is not None:
        stable_ids = {document_id: own for own, document_id in given.document_ids.items()}
        asked["id"] = stable_ids.get(str(id), id)
    elif not is_nothing and "tier" in query:
        asked["tier"] = query["tier"]
    if id is None and not is_nothing and "new" in query and not instead:
        status, body = send(HEALTH)  # the gateway's day, for no quota
        if status != 200:
            return variant_error(body)
        asked["added_since"] = day_before(body["generated_at"], query["new"])
    if instead and id is None:  # which has to ask for the tier and the first day
        query = {name: 2**53 if name == "new" else query[name] for name in query if name != "tier"}
    call = instead or "/api/v1/artists?" + urllib.parse.urlencode(asked)
    found: dict[str, Json] = {}  # one whose date_added is corrected meanwhile is on two pages
    page, cursor, first = call, None, None
    while True:
        status, body = send(page)
        if status != 200:
            return variant_error(body)
        artists, meta = body["data"], body["meta"]
        first = first or meta  # the next pages may be of another day
        if instead and isinstance(artists, dict):  # one artist, of a path of its own
            artists, has_pages = [artists], False
        if id is not None:
            # That of the current form is none here, also where it is that of another artist.
            ids = given.document_ids
            artists = [one for one in artists if instead or ids.get(one["id"], one["id"]) == id]
            if not artists:
                other = ": it is the identifier that the other form uses"
                return error_of(
                    "not_found",
                    f"No artist has this id{f' here{other}' if id in given.document_ids else ''}.",
                )
        if not is_nothing:
            for artist in artists:
                if passes(artist, query, first["generated_at"]):
                    found.setdefault(artist["id"], artist)
        if len(found) >= wanted or not has_pages or meta["next_cursor"] is None:
            is_basic = query.get("fields") == "basic"
            kept = list(found.values())[: wanted if has_pages else None]
            data = [artist_of(artist, is_basic, given) for artist in kept]
            return list_of(data, first, given, {}, {})
        if meta["next_cursor"] == cursor:
            raise ValueError("a page names itself as the next one")
        cursor = meta["next_cursor"]
        page = f"{call}{'&' if '?' in call else '?'}cursor={urllib.parse.quote(cursor, safe='')}"


def ask_spikes(query: Query, send: Send, given: Given) -> Answer:
    status, body = send(f"/api/v1/spikes?days={query.get('days', 3)}")
    if status != 200:
        return variant_error(body)
    days = {"period_days": body["meta"]["window"]["days"]}
    spikes = [] if "query" in query else [spike_of(spike) for spike in body["data"]]
    return list_of(spikes, body["meta"], given, days, {})


def ask_signings(query: Query, send: Send, given: Given) -> Answer:
    status, body = send("/api/v1/signings")
    if status != 200:
        return variant_error(body)
    labels = {"labels_tracked": list(given.labels_tracked)}
    signings = [] if "query" in query else [signing_of(signing) for signing in body["data"]]
    return list_of(signings, body["meta"], given, {}, labels)


def ask_as_variant(target: str, send: Send, given: Given, instead: str = "") -> Answer:
    """Answers a GET of the variant form: "target" is its path with its query. Raises what "send"
    raises, and KeyError or TypeError where an answer is not one of the current form.

    "instead" is the call of the current form that a program sends for it. Then only that is asked,
    and further pages and filters are added only where that form has no parameter for them.
    """
    path, _, text = target.partition("?")
    if path == HEALTH:
        status, body = send(instead or path)
        return (200, body) if status == 200 else variant_error(body)
    if path in PARAMETERS:
        query = read_query(path, text)[0]
        if instead:
            query.pop("query", None)
        if path == "/api/v1/artists":
            return ask_artists(query, send, given, instead)
        ask = ask_spikes if path == "/api/v1/spikes" else ask_signings
        return ask(query, lambda call: send(instead or call), given)
    message = "There is nothing at this path."
    near = re.fullmatch(r"(/+(api|rest|v\d+))*/+(artists|spikes|signings|health)(/.*)?", path, re.I)
    if near:
        message += f" Did you mean /api/v1/{near[3].lower()}?"
    if re.fullmatch("/api/v1/(added|artists/[^/]+)", path):
        message = "Only the current form has this path; this request is served the variant form"
        message += ": ask /api/v1/artists?new=." if path == "/api/v1/added" else "."
    return error_of("not_found", message)


def number_text(number: float) -> str:
    """A number with a point as JavaScript writes it: 1e-7 for 1e-07, and 1 for 1.0."""
    if number == 0 or 1e-6 <= abs(number) < 1e21:
        text = format(decimal.Decimal(repr(number)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return re.sub(r"e([+-])0*", r"e\1", repr(number))


def json_text(value: Json) -> str:
    """JSON as the gateway writes it, to the byte."""
    if isinstance(value, dict):
        members = (f"{json_text(name)}:{json_text(member)}" for name, member in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json_text, value)) + "]"
    return number_text(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


# The members of answers, by the places where they stand: those of items after the list's name.
MEMBERS = [
    place + name
    for place, names in {
        "": "success count period_days data _meta status api_version generated_at error message",
        "_meta.": "api_version authenticated_as timestamp labels_tracked",
        "artists.": "id name photo date_added signed_status tier links metrics songs"
        " scouting_report total_songs",
        "artists.links.": "spotify tiktok instagram youtube website",
        "artists.metrics.": "spotify_streams monthly_listeners tiktok_followers"
        " instagram_followers social_score",
        "artists.songs.": "id name streams ugc_tiktok ugc_instagram artwork",
        "spikes.": "artist_name metric previous current delta percent_change period_days tiktok",
        "signings.": "artist_name signed_status label_songs total_label_songs",
        "signings.label_songs.": "song_name pline label_detected",
    }.items()
    for name in names.split()
]


def members_named(name: str) -> list[str]:
    """The members that "artists.photo" or "photo" names."""
    found = [name] if name in MEMBERS else [one for one in MEMBERS if one.endswith(f".{name}")]
    if not found:
        raise SettingError(f"There is no member {name}: see moving.py serve --list-members.")
    return found


def without(value: Json, left_out: set[str], path: str, place: str = "") -> Json:
    """An answer to a request for a path without these members."""
    if isinstance(value, list):
        return [without(item, left_out, path, place) for item in value]
    if not isinstance(value, dict):
        return value
    inside = {"data": path.rpartition("/")[2]}
    return {
        name: without(member, left_out, path, f"{inside.get(place + name, place + name)}.")
        for name, member in value.items()
        if place + name not in left_out
    }


def headers_of(target: str, status: int, told: Reply | None) -> dict[str, str]:
    """The headers of an answer, as far as the last one of the current form tells them."""
    # Of the quotas of the current form the one with fewer requests left, since a client of the
    # variant form knows one only.
    windows = [told and window_of(told, name) for name in ("", "-Day")]
    left = sorted((window.remaining, window) for window in windows if window)
    is_told = bool(left) and status in (200, 404, 429)
    limit, remaining, reset = left[0][1] if is_told else (None, None, None)
    seconds = seconds_of(told) if told and status in (429, 500) else None
    if status == 429 and not seconds:
        seconds = 60
    is_kept = status == 200 and target.partition("?")[0] != HEALTH
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "Cache-Control": "private, no-cache" if is_kept else "no-store",
        "Connection": "close",
        "Vary": "Authorization, X-Envelope",
        "X-Content-Type-Options": "nosniff",
        "X-Envelope-Served": "variant",
        "X-Request-Id": told and header(told, "X-Request-Id") or str(uuid.uuid4()),
        "X-Params-Adjusted": adjusted_of(target) or None if status in (200, 404) else None,
        "X-RateLimit-Limit": limit,
        "X-RateLimit-Remaining": remaining,
        "X-RateLimit-Reset": reset and round(reset.timestamp()),
        "Retry-After": seconds and round(seconds),
        "WWW-Authenticate": "Bearer" if status == 401 else None,
        "Allow": "GET" if status == 405 else None,
    }
    return {name: str(value) for name, value in known(**headers).items()}


class Gone(Exception):
    """The program that asked has closed its connection."""


def answer(
    method: str,
    target: str,
    service: Service,
    given: Given,
    pause: typing.Callable[[float], object],
) -> tuple[Answer, Reply | None]:
    """Answers a request of a program, and returns the last answer of the service too. "pause" waits
    so many seconds before each request, and raises Gone.
    """
    last = None
    lacking: list[str] = []
    is_waiting = math.isinf(service.longest_wait)

    def send(path: str) -> Answer:
        nonlocal last
        seconds = 0.0
        while True:
            pause(seconds)
            last = service.send(path)
            error = service.error_of(last)
            if header(last, "X-Envelope-Served") == "variant":
                if last.status == 401:  # a key that is revoked, say, in the form of the key
                    raise error
                raise ApiError(f"{CANNOT_CHOOSE}, or take a key of the current form.")
            if not error.from_service or not isinstance(last.body, dict):
                raise error
            if last.status != 429 or not is_waiting:
                if path.startswith("/api/v1/artists?"):
                    ids = [artist["id"] for artist in last.body.get("data", [])]
                    lacking.extend(id for id in ids if id not in given.document_ids)
                return last.status, last.body
            seconds = error.retry_after or 60
            service.notice(f"{error}: waiting {seconds:g} s")

    if method != "GET" and target.partition("?")[0] in [*PARAMETERS, HEALTH]:
        return error_of("method_not_allowed", "Only GET is supported."), last
    try:
        answered = ask_as_variant(target, send, given)
        if lacking:
            kept = "which is served with its id of the current form: ask for a new list"
            service.tell_once("ids", f"ids.csv lacks {lacking[0]}, {kept}.")
        return answered, last
    except Gone:
        raise
    except Exception as failure:  # whatever it is, the program that asked gets an answer
        is_told = isinstance(failure, (ApiError, SettingError))
        why = failure if is_told else f"An answer is not one of the current form: {failure!r}"
        service.notice(printable(why))
        return error_of("", "The service gave no answer that can be read."), last


def serve(
    host: str,
    port: int,
    service: Service,
    given: Given,
    left_out: set[str],
    record: typing.Callable[[str], None],
) -> None:
    """Answers requests at an address, until Ctrl-C, but not those of a page in a browser: they say
    where they come from, or, with a DNS name of its own (DNS rebinding), another Host.
    """
    own_name = f"[{host}]" if ":" in host else host
    hosts = ["127.0.0.1", "localhost", "[::1]", own_name.lower()]

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 60  # seconds for a request to arrive
        error_message_format = ""  # the body for a message that is not HTTP

        def __getattr__(self, name: str) -> Json:
            if name.startswith("do_"):  # any method
                return self.reply
            raise AttributeError(name)

        def reply(self) -> None:
            target = self.requestline.split()[1]  # self.path has one "/" where this begins with two
            if re.search("[^\x21-\x7e]", target):  # which a URI has not (RFC 3986, section 2)
                return self.send_error(400)
            if not target.startswith("/"):
                target = re.sub("^https?://[^/?]*", "", target, flags=re.IGNORECASE)
            told = None
            try:
                if self.is_own():
                    if self.command == "GET":
                        record(target)
                    result, told = answer(self.command, target, service, given, self.pause)
                else:
                    why = "Only programs of this machine are answered, which say so in Host."
                    result = error_of("not_found", why)
                path = target.partition("?")[0]
                content = json_text(without(result[1], left_out, path)).encode("utf-8", "replace")
                self.send_response_only(result[0])
                headers = headers_of(target, result[0], told)
                length = {"Date": self.date_time_string(), "Content-Length": str(len(content))}
                for name, value in {**headers, **length}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)
            except (Gone, OSError):
                self.close_connection = True

        def is_own(self) -> bool:
            host = ",".join(self.headers.get_all("Host", []))
            site = self.headers.get_all("Sec-Fetch-Site", ["none"])
            is_page = "Origin" in self.headers or site != ["none"]
            return re.sub(":[0-9]*$", "", host).lower() in hosts and not is_page

        def pause(self, seconds: float) -> None:
            """Waits. A program may close its side once it has asked, as `nc -N` does: it counts as gone
            only where it would have to wait.
            """
            until = time.monotonic() + seconds
            while True:
                self.connection.settimeout(0)
                try:
                    if self.connection.recv(1, socket.MSG_PEEK) == b"" and seconds:
                        raise Gone()
                except BlockingIOError:
                    pass  # it is there, and waits
                except OSError as failure:
                    raise Gone() from failure
                finally:
                    self.connection.settimeout(self.timeout)
                left = until - time.monotonic()
                if left <= 0:
                    return
                time.sleep(min(left, 0.5))

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True  # Ctrl-C does not wait for answers
        request_queue_size = 128

    try:
        Server.address_family = socket.getaddrinfo(host, port)[0][0]
        server = Server((host, port), Handler)
    except (OSError, UnicodeError) as failure:  # the latter where a name has an empty part
        at = f"--host {host} --port {port}"
        why = getattr(failure, "strerror", None) or failure
        raise SettingError(f"Cannot serve at {at}: {why}.") from failure
    with server:
        address = f"http://{own_name}:{server.server_port}"
        try:
            write_line(f"{address} answers in the variant form from {service.url}")
            server.serve_forever()
        except KeyboardInterrupt:
            pass


def read_text(name: str) -> str:
    """The text of a file. Raises FileError where it is not UTF-8."""
    try:
        with open(name, encoding="utf-8-sig", newline="") as file:
            return file.read()
    except UnicodeDecodeError as failure:
        raise FileError(f"{name} must be UTF-8: save it in that encoding.") from failure


def lines_of(text: str) -> list[str]:
    return [line for line in re.split("\r?\n", text) if line]


def open_record(name: str, service: Service) -> typing.Callable[[str], None]:
    """What writes targets to a file, each once, also over several runs. A notice says once that
    this fails: the requests are answered.
    """
    open(name, "a").close()
    text = read_text(name)
    seen = set(lines_of(text))
    # Ends a line that another program, or a write that failed, left without an end.
    start = "\n" if text and not text.endswith("\n") else ""
    lock = threading.Lock()

    def record(target: str) -> None:
        nonlocal start
        with lock:
            if target in seen or re.search(r"aik_\w", target):  # a key is not stored
                return
            try:
                with open(name, "a", encoding="utf-8") as file:
                    file.write(f"{start}{target}\n")
                seen.add(target)
                start = ""
            except OSError as failure:
                start = "\n"
                why = f"{name} cannot be written: {failure.strerror}."
                service.tell_once("record", f"{why} Calls are answered, but not recorded.")

    return record


def read_calls(name: str) -> list[Call]:
    """The calls in a file, each once: a line each, perhaps behind GET and an address."""
    path = r"(?:GET +)?(?:https?://[^/?\s]*)?(/[\x21-\x7e]*)"
    calls = []
    with open(name, encoding="utf-8-sig", errors="replace") as file:
        for number, text in enumerate(file, 1):
            line = re.sub(r"aik_\w+", "aik_…", text.strip())  # a key is not printed
            found = re.fullmatch(rf"{path}(?:\s+(?:{path}|(-)))?", line)
            call = found and (found[1], found[2] or found[3] or "")
            if call and not re.search("[{}]", DAY.sub("", call[1])):
                calls.append(call)
            elif line:
                about = "a path with its query, perhaps with the new call or - behind it"
                raise FileError(f"{name}, line {number}: {printable(line)[:80]} is not {about}.")
    if not calls:
        raise FileError(f"{name} has no line.")
    return list(dict.fromkeys(calls))


def cost_of(call: Call, artists: int) -> tuple[int, int]:
    """The least and the most requests that a call costs in both forms, of so many artists."""
    target, instead = call
    path, _, text = target.partition("?")
    if path not in PARAMETERS or instead == "-":
        return (1, 1) if path in PARAMETERS else (0, 0)
    query = read_query(path, text)[0]
    is_thinned = "signed" in query or "new" in query
    wanted = artists if is_thinned else int(query.get("limit") or 100)
    has_pages = (is_thinned or wanted > 100) and (instead or None not in query.values())
    is_one = "id" in query or instead.startswith("/api/v1/added")
    if path != "/api/v1/artists" or is_one or not has_pages:
        return 2, 2
    limit = re.search("[?&]limit=([0-9]+)", instead)
    page = min(max(int(limit[1]), 1), 100) if limit else 50 if instead else 100
    return 2, 1 + max(1, -(-min(wanted, artists) // page))


def seconds_for(requests: int, quota: Quota, now: datetime.datetime) -> float:
    """How long so many requests take. The variant form has an hour in place of the minute."""
    seconds = 0.0
    for window, length in ((quota.minute, 60 if quota.day else 3600), (quota.day, 86400)):
        if window and requests > window.remaining:
            more = (requests - window.remaining - 1) // max(window.limit, 1)
            seconds = max(seconds, (window.reset - now).total_seconds() + more * length)
    return seconds


def values_of(value: Json, place: str = "") -> dict[str, str]:
    """The texts of the values in an answer, by their places."""
    parts: dict[str, Json] = {}
    if isinstance(value, dict):
        parts = {f"{place}.{name}".lstrip("."): member for name, member in value.items()}
    elif isinstance(value, list):
        parts = {f"{place}[{index}]": item for index, item in enumerate(value)}
    found = {}
    for at, part in parts.items():
        found.update(values_of(part, at))
    return found if parts else {place: json_text(value)}


def difference_of(call: Call, service: Service, given: Given, exempt: list[str]) -> str:
    """Asks both forms; returns the first difference between their answers, but for the members in
    "exempt", and "" where they are equal to the byte. Raises ApiError.
    """

    def ask(path: str, form: str) -> Reply:
        try:
            reply = service.ask(path, {"X-Envelope": form})
        except ApiError as failure:
            is_read = failure.status in (400, 404) and failure.from_service
            if not is_read or not failure.reply:
                raise
            reply = failure.reply
        if not isinstance(reply.body, dict):
            raise service.error_of(reply)
        # The other form may refuse what this one does not.
        if header(reply, "X-Envelope-Served") != form:
            raise ApiError(f"{CANNOT_CHOOSE}.")
        if reply.status == 400:
            raise service.error_of(reply)
        return reply

    def send(path: str) -> Answer:
        reply = ask(path, "current")
        return reply.status, reply.body

    target, instead = call
    theirs = ask(target, "variant")
    if instead == "-":  # the program takes it for nobody, or an empty list
        count = 0 if theirs.status == 404 else theirs.body.get("count")
        return f"count: {count} in the variant form, nothing is sent" if count else ""
    try:
        today = send(HEALTH)[1]["generated_at"] if "{" in instead else ""
        instead = DAY.sub(lambda found: day_before(today, int(found[1] or 0)), instead)
        status, body = ask_as_variant(target, send, given, instead)
    except (AttributeError, KeyError, TypeError, ValueError) as failure:
        return f"An answer is not one of the current form: {printable(repr(failure))}"
    told = {"HTTP status": theirs.status, "X-Params-Adjusted": header(theirs, "X-Params-Adjusted")}
    ours = {"HTTP status": status, "X-Params-Adjusted": adjusted_of(target)}
    one, other = values_of({**told, **theirs.body}), values_of({**ours, **body})
    texts = theirs.text, json_text(body)
    places = [at for at in {**one, **other} if one.get(at) != other.get(at) and at not in exempt]
    if places:
        texts = one.get(places[0], "nothing"), other.get(places[0], "nothing")
    elif list(one) == list(other) and theirs.text == json_text(theirs.body):
        return ""
    mine, its = (printable(text)[:200] for text in texts)
    place = places[0] if places else "Order or spelling"
    # An artist that is not in the list keeps its id of the current form.
    ids = [json_text(id) for id in given.document_ids.values()]
    is_lacking = re.fullmatch(r"data\[[0-9]+\]\.id", place) and other.get(place) not in [None, *ids]
    lacks = ". ids.csv lacks it: ask for a new list" if is_lacking else ""
    return f"{place}: {mine} in the variant form, {its} from the current form{lacks}"


PAUSE = 20  # seconds after which a call that differs is asked again, since data may have changed
TIMES = 3  # that it is asked


def check(calls: list[Call], service: Service, given: Given, exempt: list[str]) -> bool:
    """Compares the answers to calls up to the first that differs, and prints the result."""
    costs = [cost_of(call, len(given.document_ids)) for call in calls]
    least, most = map(sum, zip(*costs))
    cost = f"{least}" if least == most else f"{least} to {most}"
    write_line(f"{len(calls)} calls cost {cost} requests. Not compared: {', '.join(exempt)}.")
    for number, call in enumerate(calls):
        name = call[0] + (f" with {call[1]} instead" if call[1] else "")
        so_far = f"{number} of {len(calls)} equal, then {name}"
        for times in range(1, TIMES + 1):
            try:
                difference = difference_of(call, service, given, exempt)
            except ApiError:
                write_line(f"{so_far} has no answer.")
                raise
            if not difference:
                break
            if times == TIMES:
                write_line(f"{so_far} differs:")
                write_line(difference)
                return False
            service.notice(f"{name} differs: asking again in {PAUSE} s")
            time.sleep(PAUSE)
        if number == 0:
            now = now_of(service.send(HEALTH))  # by the clock of the quotas
            seconds = seconds_for(most - costs[0][1], service.quota, now)
            duration = f"Within the quota this takes at most {math.ceil(seconds / 60) or 1} min"
            if seconds > service.longest_wait:
                raise ApiError(f"{duration}: --wait waits.")
            write_line(f"{duration}.")
    write_line(f"{len(calls)} of {len(calls)} equal")
    return True


def read_given(ids: str, labels: str, partner: str) -> Given:
    """Reads what no answer of the current form has."""
    table = csv.DictReader(io.StringIO(read_text(ids), newline=""))
    pairs = [(row.get("current"), row.get("variant")) for row in table]
    has_titles = {"current", "variant"} <= {*(table.fieldnames or [])}
    document_ids = {current: variant for current, variant in pairs if current and variant}
    if not has_titles or len(document_ids) < len(pairs):
        raise FileError(f"{ids} is no CSV with the columns current and variant, an artist a line.")
    return Given(document_ids, lines_of(read_text(labels)), partner)


def port_of(text: str) -> int:
    if not re.fullmatch("[0-9]{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError("takes a number up to 65535")
    return int(text)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="moving.py", epilog="The key is read from the variable ARTIST_API_KEY."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    serving = commands.add_parser("serve", help="answer programs in the variant form")
    checking = commands.add_parser("check", help="compare both forms, with a key that may choose")
    about = "a file with a path and its query a line, perhaps with the new call behind it"
    checking.add_argument("calls", metavar="CALLS", help=about)
    for command in (serving, checking):
        add = command.add_argument
        add("--ids", metavar="FILE", help="identifiers: CSV with the columns variant and current")
        add("--labels", metavar="FILE", help="the labels in _meta.labels_tracked, one a line")
        add("--partner", metavar="NAME", help="the name in _meta.authenticated_as")
        add("--base-url", metavar="URL", help="the service, else the variable ARTIST_API_URL")
        add("--wait", action="store_true", help="wait for the quota, however long it takes")
    add = serving.add_argument
    add("--port", type=port_of, default=8081, metavar="N", help="the port to answer at (8081)")
    add("--host", default="127.0.0.1", help="the address or name to answer at (127.0.0.1)")
    add("--record", metavar="FILE", help="write the path and query of each request there, once")
    add("--without", metavar="MEMBER", action="append", default=[], help="leave a member out")
    add("--list-members", action="store_true", help="print the members, and end")
    options = parser.parse_args()
    is_serving = options.command == "serve"
    if is_serving and options.list_members:
        for member in MEMBERS:
            write_line(member)
        return
    if not options.ids or not options.labels:
        parser.error("Give --ids and --labels.")
    headers = {"X-Envelope": "current"}  # which a key of the variant form may be allowed to try
    service = Service("moving.py", options.base_url, wait=options.wait, headers=headers)
    given = read_given(options.ids, options.labels, options.partner or "partner")
    if is_serving:
        left_out = {member for name in options.without for member in members_named(name)}
        name = options.record
        record = open_record(name, service) if name else lambda target: None
        serve(options.host, options.port, service, given, left_out, record)
        return
    exempt = ["message", "generated_at", "_meta.timestamp"]
    exempt += [] if options.partner else ["_meta.authenticated_as"]
    if not check(read_calls(options.calls), service, given, exempt):
        sys.exit(1)


if __name__ == "__main__":  # `from moving import ask_as_variant` uses it as a library
    run(main)
