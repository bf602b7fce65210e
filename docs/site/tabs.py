# The tabs called Python: a tab is the text between `region NAME` and `endregion`. Names of operations are tabs of their pages.

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
# http://127.0.0.1:3000/docs/clients/artist_api.py
from artist_api import Client

print(Client().get("/api/v1/artists?limit=2").body)
# endregion

# region listArtists
from artist_api import Client

for artist in Client().artists(tier="established"):
    print(artist["id"], artist["name"])
# endregion

# region getArtist
from artist_api import Client

artist = Client().artist("art_7rf1ly")
print(artist["name"], artist["history"])
# endregion

# region listAddedArtists
import datetime
from artist_api import Client

client = Client()
for artist in client.added_since(str(client.today() - datetime.timedelta(days=1))):
    print(artist["id"], artist["name"])
# endregion

# region listSpikes
from artist_api import Client

print(Client().spikes(days=7)["items"])
# endregion

# region listSignings
from artist_api import Client

print(Client().signings())
# endregion

# region getHealth
from artist_api import Client

print(Client().get("/api/v1/health").body)
# endregion
