# What the programs of this service share: where the key goes, one request, waiting, errors, notices.
# Only `run` and `end` end the process. Threads can share a Service.
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
    code = "a blank" if found[0] == " " else f"U+{ord(found[0]):04X}"
    raise SettingError(
        f"{name} has {code} as its character {found.start() + 1}: copy it again, without quotes and line ends."
    )


def check_address(name: str, text: str) -> str:
    """The address of the service, without "/" or "/api/v1" at its end. Raises SettingError, which never has its text."""
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
    return re.sub("(?:/+api/v1)?/*$", "", text)


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
        self.is_setup = False  # whether a setting of this machine prevents an answer

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed later."""
        return not self.is_setup and (self.status in (0, 429) or self.status >= 500)


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


PROXY_REMEDY = "Put the user and password of the proxy into HTTPS_PROXY, as http://USER:PASSWORD@HOST:PORT."


def remedy_of(failure: object) -> str:
    """What to change if the next request would fail the same way; "" for other failures."""
    if isinstance(failure, ssl.SSLCertVerificationError):
        return "If your network replaces certificates, set SSL_CERT_FILE to its root certificate."
    if isinstance(failure, ssl.SSLError) and not isinstance(failure, ssl.SSLEOFError):
        return "Check the address: this port might not use TLS (https://)."
    return PROXY_REMEDY if "connection failed: 407" in str(failure) else ""


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
        """`timeout`: seconds without an answer, at most 2,147,483. `notice` gets each line about waiting, and about
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
            urllib.request.HTTPHandler,
            urllib.request.HTTPSHandler,
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
        until = time.monotonic() + self.timeout
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                while part := response.read1(1 << 16):
                    content += part
                    if time.monotonic() > until:
                        raise TimeoutError("timed out")
                if response.length or (response.status == 200 and not content):
                    raise http.client.IncompleteRead(b"", response.length)
                if response.headers.get("Content-Encoding") == "gzip":  # proxies do so unasked
                    content = bytearray(gzip.decompress(content))
        except (OSError, EOFError, zlib.error, http.client.HTTPException) as failure:
            reason = failure if isinstance(failure, ssl.SSLError) else getattr(failure, "reason", failure)
            if isinstance(failure, (http.client.IncompleteRead, EOFError, zlib.error)):
                reason = "the answer was cut off"
            remedy = remedy_of(reason)
            text = f"No answer from {self.url}: {reason or type(reason).__name__}"
            error = ApiError(self._clean(f"{text}. {remedy}" if remedy else text))
            error.is_setup = remedy != ""
            raise error from failure
        except ValueError:  # its text, and that of what it follows, may hold a password
            raise SettingError("HTTPS_PROXY or HTTP_PROXY is no address of a proxy.") from None
        text = content.decode("utf-8-sig", "replace")
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
            text += f" {PROXY_REMEDY}" if reply.status == 407 else ""
        elif reply.status in (200, 304):
            text = f"{reply.status} that is not the answer to this request"
        elif reply.status == 429:
            short, day = window_of(reply, ""), window_of(reply, "-Day")
            # the quota is that of the key's own form, whichever it asked for: only the current one has days
            is_variant = not day if short else header(reply, "X-Envelope-Served") == "variant"
            name = "day" if code == "quota_exceeded" else "hour" if is_variant else "minute"
            window = day if name == "day" else short
            limit = f"{window.limit} requests" if window else "requests"
            whose = "of this key" if name == "hour" else "that the keys of your organization share"
            text = f"{what}: the {limit} {'an' if name == 'hour' else 'a'} {name} {whose} are used up"
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
        sunset = header(reply, "Sunset")
        if sunset:
            self._tell_end(
                "Sunset", "the form in which this key is answered", sunset, self._link(reply), reply
            )
        expires = header(reply, "X-Key-Expires")
        if expires:
            self._tell_end("X-Key-Expires", "this key", expires, f"{self.url}/docs", reply)

    def _tell_end(self, kind: str, what: str, text: str, page: str, reply: Reply) -> None:
        end, now = instant_of(text), now_of(reply)
        if end is None:
            when = f"ends: {text}."
        elif kind == "X-Key-Expires" and (end - now).days >= 30:
            return
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
        if sys.stdout is not None:
            os.dup2(
                os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
            )  # what is left is flushed at the end
        if isinstance(failure, BrokenPipeError):  # who read it, for example `head`, has enough
            sys.exit(141)
        end(str(failure))
