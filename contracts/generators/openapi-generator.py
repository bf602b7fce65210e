# Asks a gateway through the clients of openapi-generator (python): FORM URL
import importlib
import os
import sys

form, url = sys.argv[1:]
client = importlib.import_module(f"{form}_client")


def apis(key):
    # Without retries: else urllib3 waits out a 429 by itself, and the program stands still for up to a day.
    made = client.ApiClient(client.Configuration(host=url, access_token=os.environ[key], retries=0))
    return client.ArtistsApi(made), client.SignalsApi(made), client.ServiceApi(made)


def code(body):
    body = getattr(body, "actual_instance", None) or body
    error = getattr(body.error, "code", body.error)
    return getattr(error, "value", error)


def tell(name, read):
    try:
        print(f"{name}: {read()}")
    except client.ApiException as refusal:
        print(f"{name}: {refusal.status} {code(refusal.data)}" if refusal.data else f"{name}: {refusal}")
    except Exception as failure:
        print(f"{name}: {type(failure).__name__} {failure}".splitlines()[0])


artists, signals, service = apis("FULL")
tell("health", lambda: service.get_health().status)
tell("artists", lambda: ",".join(one.id for one in artists.list_artists(limit=100).data))
if form == "current":
    listed = lambda: artists.list_artists(limit=100, include="history").data
    tell("history", lambda: sum(len(points) for one in listed() for points in (one.history or {}).values()))
    detail = artists.get_artist(os.environ["ARTIST"]).data
    tell("artist", lambda: f'{len(detail.history["monthly_listeners"])} {int(detail.metrics.spotify_streams)}')
    tell("added", lambda: len(artists.list_added_artists(days=90).data))
    tell("400", lambda: artists.list_artists(cursor="x"))
    tell("404", lambda: artists.get_artist("nobody"))
else:
    tell("basic", lambda: artists.list_artists(fields="basic", signed=True).count)
    tell("404", lambda: artists.list_artists(id="nobody"))
tell("spikes", lambda: ",".join(one.metric for one in signals.list_spikes(days=7).data))
tell("signings", lambda: ",".join(one.artist_name for one in signals.list_signings().data))
tell("401", lambda: apis("UNKNOWN")[0].list_artists())
tell("revoked", lambda: apis("REVOKED")[0].list_artists())
spent = apis("LAST")[1]
tell("429", lambda: [spent.list_signings() for _ in range(3)])
