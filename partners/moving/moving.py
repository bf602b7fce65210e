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
import http.server
import io
import json
import math
import re
import socket
import sys
import threading
import time
import typing
import urllib.parse
import uuid

from shared.http import (
    ApiError,
    FileError,
    Quota,
    Reply,
    Service,
    SettingError,
    header,
    now_of,
    printable,
    run,
    seconds_of,
    window_of,
    write_line,
)

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
