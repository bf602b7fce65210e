// The tabs called TypeScript: a tab is the text between `region NAME` and `endregion`. Names of operations are tabs of their pages.

// region shortlist
// http://127.0.0.1:3000/docs/clients/artist-api.ts
import { Client } from './artist-api.ts';

for await (const { id, name } of new Client().artists()) console.log(id, name);

// endregion

// region poll
// http://127.0.0.1:3000/docs/clients/artist-api.ts
import { Client, poll } from './artist-api.ts';

for await (const { id, name } of poll(new Client(), { state: 'seen.json' }))
  console.log(id, name);

// endregion

// region ask
// http://127.0.0.1:3000/docs/clients/artist-api.ts
import { Client } from './artist-api.ts';

const { body } = await new Client().get('/api/v1/artists?limit=2');
console.log(JSON.stringify(body));

// endregion

// region listArtists
import { Client } from './artist-api.ts';

for await (const { id, name } of new Client().artists({ tier: 'established' }))
  console.log(id, name);

// endregion

// region getArtist
import { Client } from './artist-api.ts';

const { name, history } = await new Client().artist('art_7rf1ly');
console.log(name, history);

// endregion

// region listAddedArtists
import { Client } from './artist-api.ts';

const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
for await (const { id, name } of new Client().addedSince(yesterday)) console.log(id, name);

// endregion

// region listSpikes
import { Client } from './artist-api.ts';

const { items } = await new Client().spikes(7);
console.log(items);

// endregion

// region listSignings
import { Client } from './artist-api.ts';

console.log(await new Client().signings());

// endregion

// region getHealth
import { Client } from './artist-api.ts';

const { body } = await new Client().get('/api/v1/health');
console.log(body);
// endregion
