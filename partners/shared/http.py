# Shared by the programs of this service. Only `run` and `end` end the process. Threads can share a Service.
from __future__ import annotations

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
import signal
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
    text = text.strip(" \t\r\n")
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


class Service:
    """Sends requests with a key. `url` and `key` default to ARTIST_API_URL and ARTIST_API_KEY."""

    program: str  # its name in User-Agent
    headers: typing.Mapping[str, str]  # sent with every request

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
            "User-Agent": f"{self.program}/{VERSION}",
            **self.headers,
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
        self._read_headers(reply)
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

    def _read_headers(self, reply: Reply) -> None:
        quota = Quota(window_of(reply, ""), window_of(reply, "-Day"))
        if quota.minute:
            self.quota = quota
        self._tell_end("Sunset", "the form of this key", "/docs/migration", reply)
        self._tell_end("X-Key-Expires", "this key", "/docs", reply)

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


def end(text: str) -> typing.NoReturn:
    """Ends the program with one line on standard error and exit code 1."""
    sys.exit(printable(text))


def run(main: typing.Callable[[], None]) -> typing.NoReturn:
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
    except ApiError as failure:
        again = f". Run this again then{', or with --wait' if failure.wait_helps else ''}."
        end(str(failure).rstrip(".") + again if failure.retry_after else str(failure))
    except (FileError, SettingError) as failure:
        end(str(failure))
    except OSError as failure:
        if sys.stdout is not None:  # Python flushes it at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(failure, BrokenPipeError):  # a reader such as `head` has enough
            sys.exit(141)
        end(str(failure))
