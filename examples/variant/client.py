"""A client of the variant form: "shortlist" reads all artists, "poll" prints newly added ones.

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
    form = response.headers.get("X-Envelope-Served", "variant")
    if form != "variant":
        sys.exit(f"This key answers in the {form} form: use examples/{form}.")

# This form has no pages: a list as long as its limit may be truncated.
MAX_ARTISTS = 200


# region ask
def ask(path, wait):
    """Sends a request; after 429, or 500 with Retry-After, waits and sends it again."""
    request = urllib.request.Request(URL + path, headers={"Authorization": f"Bearer {KEY}"})
    while True:
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                check_form(response)
                return json.load(response)
        except urllib.error.HTTPError as refusal:
            if refusal.code != 401:
                check_form(refusal)
            with refusal:
                seconds = refusal.headers.get("Retry-After")
                if seconds is None:
                    sys.exit(f"{refusal.code} {refusal.read().decode()}")
            print(f"{refusal.code}: waiting {seconds} s", file=sys.stderr)
            wait(int(seconds))
        except (urllib.error.URLError, OSError) as failure:
            sys.exit(f"No answer from {URL}: {getattr(failure, 'reason', failure)}")
# endregion


def show(artist):
    print(artist["id"], artist["name"], sep="\t", flush=True)


# region shortlist
def read_shortlist(wait):
    answer = ask(f"/api/v1/artists?fields=basic&limit={MAX_ARTISTS}", wait)
    for artist in answer["data"]:
        show(artist)
    if answer["count"] == MAX_ARTISTS:
        print("There may be more artists: ask by tier, or for a key of the current form.", file=sys.stderr)
# endregion


# region poll
def poll(wait, polls):
    """Polls every 15 minutes: 4 of the 100 requests an hour."""
    seen = set()
    for turn in itertools.count(1):
        for artist in ask(f"/api/v1/artists?new=1&fields=basic&limit={MAX_ARTISTS}", wait)["data"]:
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
        read_shortlist(wait)


main()
