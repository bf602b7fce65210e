# Asks a gateway through the clients of openapi-python-client: FORM URL
import importlib
import os
import sys

form, url = sys.argv[1:]
Client = importlib.import_module(f"{form}_client").AuthenticatedClient


def call(group, name, *given, key="FULL", **parameters):
    """The parsed body of an answer; of a refusal its status and code."""
    operation = importlib.import_module(f"{form}_client.api.{group}.{name}")
    client = Client(base_url=url, token=os.environ[key])
    reply = operation.sync_detailed(*given, client=client, **parameters)
    if reply.status_code == 200:
        return reply.parsed
    error = reply.parsed.error
    return f"{int(reply.status_code)} {getattr(error, 'code', error)}"


def tell(name, read):
    try:
        print(f"{name}: {read()}")
    except Exception as failure:
        print(f"{name}: {type(failure).__name__} {failure}".splitlines()[0])


def artists(**parameters):
    return call("artists", "list_artists", **parameters)


tell("health", lambda: call("service", "get_health").status)
tell("artists", lambda: ",".join(one.id for one in artists(limit=100).data))
if form == "current":
    include = importlib.import_module("current_client.models").ListArtistsInclude.HISTORY
    histories = lambda: [one.history for one in artists(limit=100, include=include).data]
    tell("history", lambda: sum(len(points) for one in histories() if one for points in one.additional_properties.values()))
    detail = call("artists", "get_artist", os.environ["ARTIST"]).data
    tell("artist", lambda: f'{len(detail.history["monthly_listeners"])} {int(detail.metrics.spotify_streams)}')
    tell("added", lambda: len(call("artists", "list_added_artists", days=90).data))
    tell("400", lambda: artists(cursor="x"))
    tell("404", lambda: call("artists", "get_artist", "nobody"))
else:
    basic = importlib.import_module("variant_client.models").ListArtistsFields.BASIC
    tell("basic", lambda: artists(fields=basic, signed=True).count)
    tell("404", lambda: artists(id="nobody"))
tell("spikes", lambda: ",".join(one.metric for one in call("signals", "list_spikes", days=7).data))
tell("signings", lambda: ",".join(one.artist_name for one in call("signals", "list_signings").data))
tell("401", lambda: artists(key="UNKNOWN"))
tell("revoked", lambda: artists(key="REVOKED"))
tell("429", lambda: [call("signals", "list_signings", key="LAST") for _ in range(3)][-1])
