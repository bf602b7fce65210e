"""Moves to the current form without a new parser: asks a gateway in the current form, and answers as the variant form would.

    rows = csv.DictReader(open("identifiers.csv"))  # the list of identifiers that we sent you
    given = Given({row["current"]: row["variant"] for row in rows}, labels_tracked=["Sony Music"], partner="Acme Radio")
    status, body = ask_as_variant("/api/v1/artists?new=7&fields=basic", send, given)

"send" is your transport: it sends a GET with your key, waits for Retry-After and sends again, and returns the status and the parsed
body. A request of the variant form becomes one, or as many as there are pages of 100 artists; with new=, one for health, which spends
no quota, comes first. Headers are those of the current form: there is no X-Params-Adjusted.

Needs Python 3.9 or later and no packages.
SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
"""

import datetime
import re
import typing
import urllib.parse


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


def is_digits(text):
    return text is not None and re.fullmatch("[0-9]+", text) is not None


def number_of(text, most, default):
    """A number out of range counts as the nearest one, another text as the default."""
    return min(max(int(text), 1), most) if is_digits(text) else default


def day_before(instant, days):
    """The day so many days before an instant, and not before the first of the calendar."""
    today = datetime.date.fromisoformat(instant[:10])
    return datetime.date.fromordinal(max(today.toordinal() - days, 1)).isoformat()


def stable_id_of(id, document_ids):
    """The identifier to ask for. That of the current form is none here, so it becomes one that no artist has."""
    stable_ids = {document_id: stable_id for stable_id, document_id in document_ids.items()}
    return stable_ids.get(id, document_ids.get(id, id))


def filter_of(query):
    """What the artists of an answer must fulfil; None when a filter cannot be understood, and so matches nothing."""
    added, tier, signed = query.get("new"), query.get("tier"), query.get("signed", "either").lower()
    if added is not None and not is_digits(added):
        return None
    if (tier is not None and tier not in TIERS) or signed not in ("true", "false", "either"):
        return None

    def passes(artist, now):
        day = artist.get("date_added", "")
        return (
            (tier is None or artist.get("tier") == tier)
            and (signed == "either" or (artist["signing"].get("status") == "signed") == (signed == "true"))
            and (added is None or day_before(now, int(added)) <= day <= now[:10])
        )

    return passes


def ask_artists(query, send, given):
    """Joins as many pages of the current form as it takes. What the current form has no filter for is left out here."""
    id, added, tier = query.get("id"), query.get("new"), query.get("tier")
    passes = None if id == "" else filter_of(query)
    wanted = number_of(query.get("limit"), 200, 100) if passes else 0
    asked = {"limit": 100 if "signed" in query or added else min(max(wanted, 1), 100)}
    if id:
        asked["id"] = stable_id_of(id, given.document_ids)
    elif passes and tier:
        asked["tier"] = tier
    if passes and added and not id:
        status, body = send("/api/v1/health")  # the gateway's day, for no quota
        if status != 200:
            return variant_error(body)
        asked["added_since"] = day_before(body["generated_at"], int(added))
    found = []
    while True:
        status, body = send("/api/v1/artists?" + urllib.parse.urlencode(asked))
        if status != 200:
            return variant_error(body)
        if id and not body["data"]:
            return error_of("not_found", "No artist has this identifier.")
        meta = body["meta"]
        found += [artist for artist in body["data"] if passes and passes(artist, meta["generated_at"])]
        if len(found) >= wanted or meta["next_cursor"] is None:
            basic = query.get("fields") == "basic"
            return list_of([artist_of(artist, basic, given) for artist in found[:wanted]], meta, given)
        asked["cursor"] = meta["next_cursor"]


def ask_spikes(query, unread, send, given):
    status, body = send(f"/api/v1/spikes?days={number_of(query.get('days'), 30, 3)}")
    if status != 200:
        return variant_error(body)
    days = {"period_days": body["meta"]["window"]["days"]}
    return list_of([] if unread else [spike_of(spike) for spike in body["data"]], body["meta"], given, days)


def ask_signings(unread, send, given):
    status, body = send("/api/v1/signings")
    if status != 200:
        return variant_error(body)
    labels = {"labels_tracked": list(given.labels_tracked)}
    return list_of([] if unread else [signing_of(one) for one in body["data"]], body["meta"], given, {}, labels)


def ask_as_variant(target, send, given):
    """Answers a GET of the variant form: "target" is its path with its query. Raises only what "send" raises."""
    path, _, text = target.partition("?")
    unread = len(text) > 2048
    pairs = [("id", "")] if unread else urllib.parse.parse_qsl(text, keep_blank_values=True)  # an empty id matches nothing
    query = dict(reversed(pairs))  # the first of a name counts
    if path == "/api/v1/artists":
        return ask_artists(query, send, given)
    if path == "/api/v1/spikes":
        return ask_spikes(query, unread, send, given)
    if path == "/api/v1/signings":
        return ask_signings(unread, send, given)
    return send(path) if path == "/api/v1/health" else error_of("not_found", "The variant form has no such path.")
