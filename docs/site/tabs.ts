// What the tabs called TypeScript show; a tab is what stands between `region NAME` and `endregion`.

// region shortlist
// http://127.0.0.1:3000/docs/clients/artist-api.ts
import { Client } from './artist-api.ts';

for await (const { id, name } of new Client().artists()) console.log(id, name);

// endregion

// region poll
// http://127.0.0.1:3000/docs/clients/artist-api.ts
import { Client, poll } from './artist-api.ts';

await poll(new Client(), { state: 'seen.json' });

// endregion

// region ask
// http://127.0.0.1:3000/docs/clients/artist-api.ts
import { Client } from './artist-api.ts';

const { body } = await new Client().get('/api/v1/artists?limit=2');
console.log(JSON.stringify(body));
// endregion
