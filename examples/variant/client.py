"""A client of the variant form: "shortlist" reads all artists, "poll" prints newly added ones.

    ARTIST_API_KEY=aik_... python3 client.py shortlist
    ARTIST_API_KEY=aik_... python3 client.py poll

Needs Python 3.9 or later and no packages. Prints one artist per line: identifier and name. See --help.
SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
"""

import argparse

# region start
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


# region ask: print(json.dumps(ask("/api/v1/artists?limit=2")))
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


def ask(path):
    """Sends a request up to 5 times: after 429, 5xx or half an answer waits for Retry-After, else longer each time."""
    for attempt in range(1, ATTEMPTS + 1):
        seconds = round(2**attempt * random.uniform(0.5, 1), 1)
        try:
            status, headers, answer = send(path, {})
        except (OSError, http.client.HTTPException, ValueError) as failure:
            reason = f"No answer from {URL}: {getattr(failure, 'reason', failure)}"
        else:
            if headers.get("X-Envelope-Served", "variant") != "variant" and status != 401:
                end(f"This key answers in the current form: use {URL}/docs/clients/current.py.")
            if status == 200:
                return answer
            reason = f"{status} {answer}"
            if status != 429 and status < 500:
                end(reason)
            seconds = int(headers["Retry-After"]) if headers.get("Retry-After", "").isdigit() else seconds
            if status == 429 and seconds > 300:
                until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))
                spent = f"The quota of {headers['X-RateLimit-Limit']} requests an hour is spent until {until}"
                if seconds > LONGEST_WAIT:
                    end(f"{spent}: run this again then, or with --wait.")
                reason = spent
        if attempt < ATTEMPTS:
            print(f"{reason[:3] if reason[0].isdigit() else reason}: waiting {seconds} s", file=sys.stderr)
            wait(seconds)
    end(f"Gave up after {ATTEMPTS} attempts. {reason}")
# endregion


# region shortlist: shortlist()
def shortlist(limit=200):
    """This form has no pages: a list as long as its limit may be truncated."""
    answer = ask(f"/api/v1/artists?fields=basic&limit={limit}")
    for artist in answer["data"]:
        print(artist["id"], artist["name"], sep="\t", flush=True)
    if answer["count"] == limit:
        print("There may be more artists: ask by tier, or for a key of the current form.", file=sys.stderr)
# endregion


# region poll: poll()
def poll(polls=None):
    """Polls every 15 minutes: 4 of the 100 requests an hour."""
    seen = set()
    for turn in itertools.count(1):
        for artist in ask("/api/v1/artists?new=1&fields=basic&limit=200")["data"]:
            if artist["id"] not in seen:
                seen.add(artist["id"])
                print(artist["id"], artist["name"], sep="\t", flush=True)
        if turn == polls:
            return
        wait(15 * 60)
# endregion


def main():
    global URL, TIMEOUT, WAIT_FACTOR, LONGEST_WAIT
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")  # names are written in any script, also to a console or file of Windows
    parser = argparse.ArgumentParser(epilog="The key is read from the variable ARTIST_API_KEY.")
    parser.add_argument("--base-url", default=URL, help="address of the service, else the variable ARTIST_API_URL")
    parser.add_argument("command", choices=["shortlist", "poll"])
    parser.add_argument("--polls", type=int, help="stop after this many polls")
    parser.add_argument("--timeout", type=float, default=TIMEOUT, help="seconds to wait for an answer (30)")
    parser.add_argument("--wait", action="store_true", help="wait for a quota however long it takes, not for at most 5 minutes")
    parser.add_argument("--wait-factor", type=float, default=1, help="multiplies every wait: 0.01 to try it out")
    options = parser.parse_args()
    URL, TIMEOUT, WAIT_FACTOR = options.base_url.rstrip("/"), options.timeout, options.wait_factor
    LONGEST_WAIT = float("inf") if options.wait else LONGEST_WAIT
    if not KEY:
        end("ARTIST_API_KEY is not set: it holds your key.")
    try:
        poll(options.polls) if options.command == "poll" else shortlist()
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)


if __name__ == "__main__":  # `from client import ask` uses it as a library
    main()
