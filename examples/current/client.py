"""A client of the current form: "shortlist" pages through all artists, "poll" prints newly added ones, "copy" keeps a copy.

    ARTIST_API_KEY=aik_... python3 client.py shortlist
    ARTIST_API_KEY=aik_... python3 client.py poll
    ARTIST_API_KEY=aik_... python3 client.py copy shortlist.db

Needs Python 3.9 or later and no packages. Prints one artist per line: identifier and name. See --help.
SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
"""

import argparse
import sqlite3

# region start
import datetime
import email.utils
import http.client
import itertools
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("ARTIST_API_URL", "http://127.0.0.1:3000")
KEY = os.environ.get("ARTIST_API_KEY", "").strip()
ATTEMPTS = 5
TIMEOUT = 30  # seconds
WAIT_FACTOR = 1  # multiplies every wait: 0.01 to try the client out
LONGEST_WAIT = 300  # seconds; --wait waits longer


def wait(seconds):
    time.sleep(seconds * WAIT_FACTOR)
# endregion


# region ask: print(json.dumps(ask("/api/v1/artists?limit=2")[0]))
def send(path, headers):
    """Sends one request. Raises OSError, HTTPException or ValueError where no whole answer came."""
    request = urllib.request.Request(URL + path, headers={"Authorization": f"Bearer {KEY}", **headers})
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as refusal:
        response = refusal
    with response:
        text = response.read().decode()
        return response.status, response.headers, json.loads(text) if response.status == 200 else text


def end(reason):
    """Ends the program with one line."""
    sys.exit(" ".join(reason.split())[:300])


warned = set()


def warn_of_expiry(expires):
    """Tells once that the key ends within 30 days."""
    left = email.utils.parsedate_to_datetime(expires) - datetime.datetime.now(datetime.timezone.utc)
    if left.days < 30 and expires not in warned:
        warned.add(expires)
        print(f"This key expires on {expires}: ask for a new one.", file=sys.stderr)


def ask(path, tag=None):
    """Sends a request up to 5 times: after 429, 5xx or half an answer waits for Retry-After, else longer each time.

    Returns the answer and its ETag. The answer is None if it has not changed since this tag (304).
    """
    for attempt in range(1, ATTEMPTS + 1):
        seconds = round(2**attempt * random.uniform(0.5, 1), 1)
        try:
            status, headers, answer = send(path, {"If-None-Match": tag} if tag else {})
        except (OSError, http.client.HTTPException, ValueError) as failure:
            reason = f"No answer from {URL}: {getattr(failure, 'reason', failure)}"
        else:
            if headers.get("X-Envelope-Served", "current") != "current" and status != 401:
                end(f"This key answers in the variant form: use {URL}/docs/clients/variant.py.")
            if "X-Key-Expires" in headers:
                warn_of_expiry(headers["X-Key-Expires"])
            if status in (200, 304):
                return answer or None, headers["ETag"]
            reason = f"{status} {answer}"
            if status != 429 and status < 500:
                end(reason)
            seconds = int(headers["Retry-After"]) if headers.get("Retry-After", "").isdigit() else seconds
            if status == 429 and seconds > 300:
                until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))
                spent = f"The quota of {headers['X-RateLimit-Day-Limit']} requests a day is spent until {until}"
                if seconds > LONGEST_WAIT:
                    end(f"{spent}: run this again then, or with --wait.")
                reason = spent
        if attempt < ATTEMPTS:
            print(f"{reason[:3] if reason[0].isdigit() else reason}: waiting {seconds} s", file=sys.stderr)
            wait(seconds)
    end(f"Gave up after {ATTEMPTS} attempts. {reason}")
# endregion


# region shortlist: shortlist()
def shortlist(page_size=100):
    cursor = ""
    while cursor is not None:
        following = f"&cursor={cursor}" if cursor else ""
        page, _ = ask(f"/api/v1/artists?limit={page_size}{following}")
        for artist in page["data"]:
            print(artist["id"], artist["name"], sep="\t", flush=True)
        cursor = page["meta"]["next_cursor"]
# endregion


# region poll: poll()
def poll(polls=None):
    """Polls every 15 minutes: 96 of the 1,000 requests a day. An unchanged answer is 304 without a body."""
    seen, tag = set(), None
    for turn in itertools.count(1):
        answer, tag = ask("/api/v1/added?days=1", tag)
        for artist in answer["data"] if answer else []:
            if artist["id"] not in seen:
                seen.add(artist["id"])
                print(artist["id"], artist["name"], sep="\t", flush=True)
        if turn == polls:
            return
        wait(15 * 60)
# endregion


COPY = """
CREATE TABLE IF NOT EXISTS nights (day TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS kept (kind TEXT, artist TEXT, song TEXT, metric TEXT, day TEXT, answer TEXT,
    first_seen TEXT, gone_after TEXT, gone TEXT, PRIMARY KEY (kind, artist, song, metric, day)) WITHOUT ROWID;
CREATE TEMP TABLE night (kind TEXT, artist TEXT, song TEXT, metric TEXT, day TEXT, answer TEXT,
    PRIMARY KEY (kind, artist, song, metric, day)) WITHOUT ROWID;
"""
# What is still there was last seen in the last night, and needs no writing for that.
SEEN = "first_seen, coalesce(gone_after, (SELECT max(day) FROM nights)) AS last_seen, gone"
VIEWS = {
    "artists": "artist AS id, json_extract(answer, '$.name') AS name, answer",
    "songs": "artist AS artist_id, song AS id, json_extract(answer, '$.name') AS name, answer",
    "points": "artist AS artist_id, song AS song_id, metric, day, json_extract(answer, '$.value') AS value, answer",
    "spikes": "artist AS artist_id, metric, answer",
    "signings": "artist AS artist_id, answer",
}
SAME = " AND ".join(f"night.{name} = kept.{name}" for name in ("kind", "artist", "song", "metric", "day"))


def rows_of(artist):
    """The rows of an artist: itself, its songs, and the points of both. Those of the artist itself have no song."""
    songs = artist.pop("songs")
    for song, owner in [("", artist), *((song["id"], song) for song in songs)]:
        for metric, points in owner.pop("history", {}).items():
            for point in points:
                yield "points", artist["id"], song, metric, point["date"], point
        yield "songs" if song else "artists", artist["id"], song, "", "", owner


def rows_of_service(page_size):
    cursor = ""
    while cursor is not None:
        following = f"&cursor={cursor}" if cursor else ""
        page, _ = ask(f"/api/v1/artists?limit={page_size}&include=history{following}")
        for artist in page["data"]:
            yield from rows_of(artist)
        cursor = page["meta"]["next_cursor"]
    for spike in ask("/api/v1/spikes")[0]["data"]:
        yield "spikes", spike["artist_id"], "", spike["metric"], "", spike
    for signing in ask("/api/v1/signings")[0]["data"]:
        yield "signings", signing["artist_id"], "", "", "", signing


def copy(file, page_size=100):
    """Reads everything, then writes what differs in one transaction: what ends it before leaves the file as it was.

    The file has the views artists, songs, points, spikes and signings. `gone` is the day (UTC) on which a row was first missing.
    """
    day = time.strftime("%Y-%m-%d", time.gmtime())
    database = sqlite3.connect(file)
    database.executescript(COPY)
    for name, columns in VIEWS.items():
        database.execute(f"CREATE VIEW IF NOT EXISTS {name} AS SELECT {columns}, {SEEN} FROM kept WHERE kind = '{name}'")
    for *row, answer in rows_of_service(page_size):
        text = json.dumps(answer, ensure_ascii=False, sort_keys=True)
        database.execute("INSERT OR REPLACE INTO night VALUES (?, ?, ?, ?, ?, ?)", (*row, text))
    database.commit()  # the temporary table, which no other program sees
    with database:
        gone = database.execute(
            "UPDATE kept SET gone = ?, gone_after = (SELECT max(day) FROM nights)"
            f" WHERE gone IS NULL AND NOT EXISTS (SELECT 1 FROM night WHERE {SAME})",
            (day,),
        ).rowcount
        written = database.execute(
            "INSERT INTO kept SELECT *, ?, NULL, NULL FROM night WHERE true ON CONFLICT (kind, artist, song, metric, day)"
            " DO UPDATE SET answer = excluded.answer, gone = NULL, gone_after = NULL"
            " WHERE kept.gone IS NOT NULL OR kept.answer <> excluded.answer",
            (day,),
        ).rowcount
        database.execute("INSERT OR IGNORE INTO nights VALUES (?)", (day,))
    database.close()
    print(f"{written} rows are new or changed, {gone} are gone.")


def main():
    global URL, TIMEOUT, WAIT_FACTOR, LONGEST_WAIT
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")  # names are written in any script, also to a console or file of Windows
    parser = argparse.ArgumentParser(epilog="The key is read from the variable ARTIST_API_KEY.")
    parser.add_argument("--base-url", default=URL, help="address of the service, else the variable ARTIST_API_URL")
    parser.add_argument("command", choices=["shortlist", "poll", "copy"])
    parser.add_argument("file", nargs="?", help="copy: the SQLite file to keep")
    parser.add_argument("--page-size", type=int, default=100)
    parser.add_argument("--polls", type=int, help="stop after this many polls")
    parser.add_argument("--timeout", type=float, default=TIMEOUT, help="seconds to wait for an answer (30)")
    parser.add_argument("--wait", action="store_true", help="wait for a quota however long it takes, not for at most 5 minutes")
    parser.add_argument("--wait-factor", type=float, default=1, help="multiplies every wait: 0.01 to try it out")
    options = parser.parse_args()
    URL, TIMEOUT, WAIT_FACTOR = options.base_url.rstrip("/"), options.timeout, options.wait_factor
    LONGEST_WAIT = float("inf") if options.wait else LONGEST_WAIT
    if not KEY:
        end("ARTIST_API_KEY is not set: it holds your key.")
    if (options.command == "copy") != (options.file is not None):
        parser.error("copy needs a file, and no other command takes one")
    try:
        if options.command == "copy":
            copy(options.file, options.page_size)
        else:
            poll(options.polls) if options.command == "poll" else shortlist(options.page_size)
    except sqlite3.Error as failure:
        end(f"{options.file}: {failure}")
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)


if __name__ == "__main__":  # `from client import ask` uses it as a library
    main()
