"""A client of the current form: "shortlist" pages through all artists, "poll" prints newly added ones.

    ARTIST_API_URL=https://... ARTIST_API_KEY=aik_... python3 client.py shortlist
    ARTIST_API_URL=https://... ARTIST_API_KEY=aik_... python3 client.py poll

Needs Python 3.9 or later and no packages. Prints one artist per line: identifier and name.
"""

import argparse
import itertools
import json
import os
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("ARTIST_API_URL", "http://127.0.0.1:3000")
KEY = os.environ.get("ARTIST_API_KEY", "")


def check_form(response):
    """Ends with one line when the key answers in the other form."""
    form = response.headers.get("X-Envelope-Served", "current")
    if form != "current":
        sys.exit(f"This key answers in the {form} form: use examples/{form}.")


# region ask
def ask(path, wait, tag=None):
    """Sends a request; after 429 or 503 waits for Retry-After and sends it again.

    Returns the answer and its ETag. The answer is None if it has not changed since this tag (304).
    """
    headers = {"Authorization": f"Bearer {KEY}"}
    if tag is not None:
        headers["If-None-Match"] = tag
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(URL + path, headers=headers), timeout=30) as response:
                check_form(response)
                return json.load(response), response.headers["ETag"]
        except urllib.error.HTTPError as refusal:
            if refusal.code != 401:
                check_form(refusal)
            with refusal:
                if refusal.code == 304:
                    return None, refusal.headers["ETag"]
                if refusal.code not in (429, 503):
                    sys.exit(f"{refusal.code} {refusal.read().decode()}")
                seconds = int(refusal.headers.get("Retry-After", "60"))
            print(f"{refusal.code}: waiting {seconds} s", file=sys.stderr)
            wait(seconds)
        except (urllib.error.URLError, OSError) as failure:
            sys.exit(f"No answer from {URL}: {getattr(failure, 'reason', failure)}")
# endregion


def show(artist):
    print(artist["id"], artist["name"], sep="\t", flush=True)


# region shortlist
def read_shortlist(wait, page_size):
    cursor = ""
    while cursor is not None:
        following = f"&cursor={cursor}" if cursor else ""
        page, _ = ask(f"/api/v1/artists?limit={page_size}{following}", wait)
        for artist in page["data"]:
            show(artist)
        cursor = page["meta"]["next_cursor"]
# endregion


# region poll
def poll(wait, polls):
    """Polls every 15 minutes: 96 of the 1,000 requests a day. An unchanged answer is 304 without a body."""
    seen, tag = set(), None
    for turn in itertools.count(1):
        answer, tag = ask("/api/v1/added?days=1", wait, tag)
        for artist in answer["data"] if answer else []:
            if artist["id"] not in seen:
                seen.add(artist["id"])
                show(artist)
        if turn == polls:
            return
        wait(15 * 60)
# endregion


def main():
    global URL
    parser = argparse.ArgumentParser(epilog="The key is read from the variable ARTIST_API_KEY.")
    parser.add_argument("--base-url", default=URL, help="address of the service, else the variable ARTIST_API_URL")
    parser.add_argument("command", choices=["shortlist", "poll"])
    parser.add_argument("--page-size", type=int, default=100)
    parser.add_argument("--polls", type=int, help="stop after this many polls")
    parser.add_argument("--wait-factor", type=float, default=1, help="multiplies every wait: 0.01 to try it out")
    options = parser.parse_args()
    URL = options.base_url.rstrip("/")
    if not KEY:
        sys.exit("ARTIST_API_KEY is not set: it holds your key.")

    def wait(seconds):
        time.sleep(seconds * options.wait_factor)

    if options.command == "poll":
        poll(wait, options.polls)
    else:
        read_shortlist(wait, options.page_size)


main()
