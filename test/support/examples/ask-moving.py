"""Answers requests of the variant form by examples/moving/moving.py.

Reads a JSON object a line: host, key, target, and the three members of Given. Prints "[status, body as text]" a line.
"""

import http.client
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "examples" / "moving"))
import moving  # noqa: E402

connections = {}


def send_to(host, key):
    connection = connections.setdefault(host, http.client.HTTPConnection(host, timeout=30))

    def send(target):
        connection.request("GET", target, headers={"Authorization": f"Bearer {key}"})
        response = connection.getresponse()
        return response.status, json.loads(response.read())

    return send


for line in sys.stdin:
    asked = json.loads(line)
    given = moving.Given(asked["documentIds"], asked["labelsTracked"], asked["partner"])
    status, body = moving.ask_as_variant(asked["target"], send_to(asked["host"], asked["key"]), given)
    print(json.dumps([status, json.dumps(body, ensure_ascii=False, separators=(",", ":"))]), flush=True)
