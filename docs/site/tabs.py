# What the tabs called Python show; a tab is what stands between `region NAME` and `endregion`.

# region shortlist
# http://127.0.0.1:3000/docs/clients/artist_api.py
from artist_api import Client

for artist in Client().artists():
    print(artist["id"], artist["name"])
# endregion

# region poll
# http://127.0.0.1:3000/docs/clients/artist_api.py
from artist_api import Client, poll

poll(Client(), state="seen.json")
# endregion

# region ask
import json

# http://127.0.0.1:3000/docs/clients/artist_api.py
from artist_api import Client

print(json.dumps(Client().get("/api/v1/artists?limit=2").body))
# endregion
