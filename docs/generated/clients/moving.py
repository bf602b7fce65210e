"""Answers requests of the variant form from a gateway that it asks in the current form, for a program that keeps its parser.

For a program in any language, which only gets another address, http://127.0.0.1:8081 instead of that of the service:

    ARTIST_API_KEY=aik_... python3 moving.py serve --port 8081 --ids ids.csv --labels labels.txt

The key is your new one, of the current form; who reaches the port asks with it. "ids.csv" is the list of identifiers that we sent you,
"labels.txt" has a tracked label a line. See --help. For a program in Python, as a library:

    rows = csv.DictReader(open("ids.csv"))
    given = Given({row["current"]: row["variant"] for row in rows}, labels_tracked=["Sony Music"], partner="Acme Radio")
    status, body = ask_as_variant("/api/v1/artists?new=7&fields=basic", send, given)

"send" is your transport: it sends a GET with your key, and returns the status and the parsed body. A request of the variant form becomes
one, or as many as there are pages of 100 artists; with new=, one for health, which spends no quota, comes first. adjusted_of() is what
the header X-Params-Adjusted says.

Needs Python 3.9 or later and no packages.
SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
"""

import argparse
import csv
import datetime
import decimal
import http.server
import json
import os
import re
import sys
import time
import typing
import urllib.error
import urllib.parse
import urllib.request
import uuid

URL = os.environ.get("ARTIST_API_URL", "http://127.0.0.1:3000")
KEY = os.environ.get("ARTIST_API_KEY", "").strip()
TIMEOUT = 30  # seconds


class Given(typing.NamedTuple):
    """What no answer of the current form has."""

    # The identifier in the variant form by that in the current form. An artist that is missing here keeps the latter.
    document_ids: typing.Mapping[str, str]
    labels_tracked: typing.Sequence[str]
    # The name in _meta.authenticated_as.
    partner: str


# The members that are not derived: they are given, or differ between any two answers. "message" is a text for people.
NOT_DERIVED = ["data[].id", "_meta.authenticated_as", "_meta.labels_tracked[]", "_meta.timestamp", "message"]

TIERS = ["watch", "on-the-rise", "breaking", "established"]

ERRORS = {
    "unauthorized": (401, "unauthorized"),
    "insufficient_scope": (401, "unauthorized"),
    "not_found": (404, "not_found"),
    "method_not_allowed": (405, "method_not_allowed"),
    "rate_limited": (429, "rate_limited"),
    "quota_exceeded": (429, "rate_limited"),
}


def error_of(code, message):
    status, error = ERRORS.get(code, (500, "server_error"))
    return status, {"error": error, "message": message}


def variant_error(body):
    """An error of the current form as the variant form reports it."""
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return error_of("", "The answer is not one of the gateway.")
    return error_of(error.get("code"), error.get("message"))


def known(**members):
    """An object without the members that are unknown."""
    return {name: value for name, value in members.items() if value is not None}


def artist_of(artist, basic, given):
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


def song_of(song):
    numbers = {name: song["metrics"].get(name) for name in ("streams", "ugc_tiktok", "ugc_instagram")}
    return known(id=song["id"], name=song["name"], **numbers, artwork=song.get("artwork"))


def spike_of(spike):
    same = {name: spike[name] for name in ("artist_name", "metric", "previous", "current", "delta", "percent_change")}
    return known(**same, period_days=spike["window"]["days"], tiktok=spike["links"].get("tiktok"))


def signing_of(signing):
    return known(
        artist_name=signing["artist_name"],
        signed_status=signing["signing"].get("status", "unknown"),
        label_songs=[
            known(song_name=song["song_name"], pline=song["p_line"], label_detected=song["label_detected"])
            for song in signing["label_songs"]
        ],
        total_label_songs=signing["total_label_songs"],
    )


def list_of(data, meta, given, more=None, more_meta=None):
    about = known(api_version=meta["api_version"], authenticated_as=given.partner, timestamp=meta["generated_at"])
    return 200, {"success": True, "count": len(data), **(more or {}), "data": data, "_meta": {**about, **(more_meta or {})}}


PARAMETERS = {
    "/api/v1/artists": ["id", "new", "tier", "signed", "fields", "limit"],
    "/api/v1/spikes": ["days"],
    "/api/v1/signings": [],
}
NUMBERS = {"limit": (200, 100), "days": (30, 3)}  # the most, and what counts where the text is no number
LONGEST_QUERY = 2048  # bytes


def used_of(name, text):
    """What counts for the text of a parameter, None where it cannot be understood, and whether that is not what the text says."""
    number = int(text) if re.fullmatch("[0-9]+", text) else None
    if name in NUMBERS:
        most, default = NUMBERS[name]
        used = default if number is None else min(max(number, 1), most)
        return used, used != number
    if name == "new":
        used = None if number is None else min(number, 2**53 - 1)
        return used, used is None or used != number
    if name == "fields":
        return ("basic", False) if text == "basic" else ("all", True)
    if name == "signed":
        text = text.lower()
    understood = {"id": text != "", "tier": text in TIERS, "signed": text in ("true", "false")}[name]
    return (text, False) if understood else (None, True)


def read_query(path, text):
    """What counts for each parameter of a query, and what was repaired. A None matches nothing."""
    if len(text) > LONGEST_QUERY:
        return {"query": None}, ["query=none"]
    sent, used, adjusted = {}, {}, []
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


def adjusted_of(target):
    """What X-Params-Adjusted says of a request of the variant form; empty where that has no such header."""
    path, _, text = target.partition("?")
    return ", ".join(read_query(path, text)[1]) if path in PARAMETERS else ""


def day_before(instant, days):
    """The day so many days before an instant, and not before the first of the calendar."""
    today = datetime.date.fromisoformat(instant[:10])
    return datetime.date.fromordinal(max(today.toordinal() - days, 1)).isoformat()


def stable_id_of(id, document_ids):
    """The identifier to ask for. That of the current form is none here, so it becomes one that no artist has."""
    stable_ids = {document_id: stable_id for stable_id, document_id in document_ids.items()}
    return stable_ids.get(id, document_ids.get(id, id))


def passes(artist, query, now):
    """Whether an artist fulfils the filters at an instant."""
    day = artist.get("date_added", "")
    return (
        query.get("tier", artist.get("tier")) == artist.get("tier")
        and ("signed" not in query or (artist["signing"].get("status") == "signed") == (query["signed"] == "true"))
        and ("new" not in query or day_before(now, query["new"]) <= day <= now[:10])
    )


def ask_artists(query, send, given):
    """Joins as many pages of the current form as it takes. What the current form has no filter for is left out here."""
    is_nothing = None in query.values()
    wanted = 0 if is_nothing else query.get("limit", 100)
    asked = {"limit": 100 if "signed" in query or "new" in query else min(max(wanted, 1), 100)}
    id = query.get("id")
    if id is not None:
        asked["id"] = stable_id_of(id, given.document_ids)
    elif not is_nothing and "tier" in query:
        asked["tier"] = query["tier"]
    if id is None and not is_nothing and "new" in query:
        status, body = send("/api/v1/health")  # the gateway's day, for no quota
        if status != 200:
            return variant_error(body)
        asked["added_since"] = day_before(body["generated_at"], query["new"])
    found = []
    while True:
        status, body = send("/api/v1/artists?" + urllib.parse.urlencode(asked))
        if status != 200:
            return variant_error(body)
        if id is not None and not body["data"]:
            return error_of("not_found", "No artist has this identifier.")
        meta = body["meta"]
        if not is_nothing:
            found += [artist for artist in body["data"] if passes(artist, query, meta["generated_at"])]
        if len(found) >= wanted or meta["next_cursor"] is None:
            is_basic = query.get("fields") == "basic"
            return list_of([artist_of(artist, is_basic, given) for artist in found[:wanted]], meta, given)
        asked["cursor"] = meta["next_cursor"]


def ask_spikes(query, send, given):
    status, body = send(f"/api/v1/spikes?days={query.get('days', 3)}")
    if status != 200:
        return variant_error(body)
    days = {"period_days": body["meta"]["window"]["days"]}
    return list_of([] if "query" in query else [spike_of(spike) for spike in body["data"]], body["meta"], given, days)


def ask_signings(query, send, given):
    status, body = send("/api/v1/signings")
    if status != 200:
        return variant_error(body)
    labels = {"labels_tracked": list(given.labels_tracked)}
    signings = [] if "query" in query else [signing_of(signing) for signing in body["data"]]
    return list_of(signings, body["meta"], given, {}, labels)


def ask_as_variant(target, send, given):
    """Answers a GET of the variant form: "target" is its path with its query. Raises only what "send" raises."""
    path, _, text = target.partition("?")
    if path == "/api/v1/health":
        status, body = send(path)
        return (200, body) if status == 200 else variant_error(body)
    if path not in PARAMETERS:
        return error_of("not_found", "The variant form has no such path.")
    query, _ = read_query(path, text)
    ask = {"/api/v1/artists": ask_artists, "/api/v1/spikes": ask_spikes, "/api/v1/signings": ask_signings}[path]
    return ask(query, send, given)


def number_text(number):
    """A number with a point as JavaScript writes it: 1e-7 where Python writes 1e-07, and 1 where it writes 1.0."""
    if number == 0 or 1e-6 <= abs(number) < 1e21:
        text = format(decimal.Decimal(repr(number)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return re.sub(r"e([+-])0*", r"e\1", repr(number))


def json_text(value):
    """JSON as the gateway writes it, to the byte."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json_text(name)}:{json_text(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json_text, value)) + "]"
    return number_text(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def send(path):
    """Sends a request of the current form. Returns its status, its headers and the parsed body."""
    # A key that is still pinned to the variant form may try the current form, where it is allowed to.
    headers = {"Authorization": f"Bearer {KEY}", "X-Envelope": "current"}
    try:
        response = urllib.request.urlopen(urllib.request.Request(URL + path, headers=headers), timeout=TIMEOUT)
    except urllib.error.HTTPError as refusal:
        response = refusal
    with response:
        if response.headers.get("X-Envelope-Served") == "variant":
            raise ValueError("ARTIST_API_KEY is a key of the variant form: it takes your new one")
        return response.status, response.headers, json.loads(response.read())


def headers_of(target, status, told):
    """The headers of an answer in the variant form, as far as the last one of the current form tells them."""
    # Of the quotas of the current form the one with fewer requests left, since a client of the variant form knows one only.
    left = {window: int(told.get(f"X-RateLimit{window}-Remaining", 2**53)) for window in ("", "-Day")}
    window = min(left, key=left.get)
    quota = {f"X-RateLimit-{name}": told.get(f"X-RateLimit{window}-{name}") for name in ("Limit", "Remaining", "Reset")}
    return known(**{
        "Content-Type": "application/json; charset=utf-8",
        "Cache-Control": "private, no-cache" if status == 200 else "no-store",
        "Connection": "close",
        "Vary": "Authorization, X-Envelope",
        "X-Content-Type-Options": "nosniff",
        "X-Envelope-Served": "variant",
        "X-Request-Id": told.get("X-Request-Id", str(uuid.uuid4())),
        "X-Params-Adjusted": adjusted_of(target) or None if status in (200, 404) else None,
        **(quota if status in (200, 404, 429) else {}),
        "Retry-After": told.get("Retry-After") if status in (429, 500) else None,
        "WWW-Authenticate": "Bearer" if status == 401 else None,
        "Allow": "GET" if status == 405 else None,
    })


def answer(method, target, given, is_waiting):
    """Answers a request that a program sent: status, headers and the body as text. Raises nothing."""
    told = {}

    def send_and_wait(path):
        nonlocal told
        while True:
            status, told, body = send(path)
            if status != 429 or not is_waiting:
                return status, body
            seconds = int(told.get("Retry-After", 60))
            print(f"{status}: waiting {seconds} s", file=sys.stderr)
            time.sleep(seconds)

    if method != "GET" and target.partition("?")[0] in [*PARAMETERS, "/api/v1/health"]:
        status, body = error_of("method_not_allowed", "Only GET is supported.")
    else:
        try:
            status, body = ask_as_variant(target, send_and_wait, given)
        except Exception as failure:  # whatever it is, the program that asked gets an answer
            print(f"No answer from {URL}: {getattr(failure, 'reason', failure)}", file=sys.stderr)
            status, body = error_of("", "The service gave no answer that can be read.")
    return status, headers_of(target, status, told), json_text(body)


def serve(host, port, given, is_waiting):
    """Answers requests of the variant form at an address, until Ctrl-C."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            status, headers, body = answer(self.command, self.path, given, is_waiting)
            content = body.encode()
            self.send_response_only(status)
            self.send_header("Date", self.date_time_string())
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_HEAD = do_OPTIONS = do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

        def log_message(self, format, *arguments):
            pass

    with http.server.ThreadingHTTPServer((host, port), Handler) as server:
        server.daemon_threads = True  # Ctrl-C does not wait for answers
        print(f"http://{host}:{server.server_port} answers in the variant form from {URL}", flush=True)
        server.serve_forever()


def read_given(ids, labels, partner):
    """Reads what no answer of the current form has. Raises OSError, KeyError or ValueError where a file is another one."""
    with open(ids, encoding="utf-8-sig", newline="") as file:
        document_ids = {row["current"]: row["variant"] for row in csv.DictReader(file)}
    with open(labels, encoding="utf-8-sig") as file:
        return Given(document_ids, [line.strip() for line in file if line.strip()], partner)


def main():
    global URL
    parser = argparse.ArgumentParser(epilog="The key of the current form is read from the variable ARTIST_API_KEY.")
    parser.add_argument("command", choices=["serve"])
    parser.add_argument("--ids", required=True, metavar="FILE", help="the list of identifiers: CSV with the columns variant and current")
    parser.add_argument("--labels", required=True, metavar="FILE", help="the labels in _meta.labels_tracked, one a line")
    parser.add_argument("--partner", default="partner", help="the name in _meta.authenticated_as (partner)")
    parser.add_argument("--port", type=int, default=8081, help="the port to answer at (8081)")
    parser.add_argument("--host", default="127.0.0.1", help="the address to answer at (127.0.0.1: only programs of this machine)")
    parser.add_argument("--base-url", default=URL, help="address of the service, else the variable ARTIST_API_URL")
    parser.add_argument("--wait", action="store_true", help="wait while a quota is spent, instead of answering 429")
    options = parser.parse_args()
    URL = options.base_url.rstrip("/")
    if not KEY:
        sys.exit("ARTIST_API_KEY is not set: it holds your key of the current form.")
    try:
        given = read_given(options.ids, options.labels, options.partner)
    except (OSError, KeyError, ValueError) as failure:
        sys.exit(f"{options.ids}, {options.labels}: {failure}")
    try:
        serve(options.host, options.port, given, options.wait)
    except OSError as failure:
        sys.exit(f"{options.host}:{options.port}: {failure}")
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":  # `from moving import ask_as_variant` uses it as a library
    main()
