// Asks a gateway through the clients of orval (fetch): FORM URL
// The driver puts it beside the clients that it imports.
import * as current from './current';
import * as variant from './variant';

const [form, url = ''] = process.argv.slice(2);

// The clients ask the address of the contract: this is where a caller of fetch sets its own.
const plainFetch = globalThis.fetch;
globalThis.fetch = (input, init) =>
  plainFetch(String(input).replace(/^https?:\/\/[^/]*|^(?=\/)/, url), init);

const as = (key: string) => ({ headers: { Authorization: `Bearer ${process.env[key]}` } });

/** Tells what an answer holds; of a refusal its status and code. */
const told = async <Reply extends { status: number; data: unknown }>(
  name: string,
  ask: () => Promise<Reply>,
  read: (data: Extract<Reply, { status: 200 }>['data']) => unknown = () => 'answered',
) => {
  try {
    const reply = await ask();
    if (reply.status === 200) return console.log(`${name}: ${read(reply.data as never)}`);
    const { error } = Object(reply.data);
    console.log(`${name}: ${reply.status} ${error.code ?? error}`);
  } catch (failure) {
    console.log(`${name}: ${failure}`);
  }
};

/** Asks with the key that has one request left a minute, and gives the last answer. */
const thrice = async <Reply>(ask: () => Promise<Reply>) => {
  await ask();
  await ask();
  return ask();
};

const client = form === 'current' ? current : variant;
await told(
  'health',
  () => client.getHealth(as('FULL')),
  ({ status }) => status,
);
await told(
  'artists',
  () => client.listArtists({ limit: 100 }, as('FULL')),
  ({ data }) => data.map(({ id }) => id).join(),
);
await told(
  'spikes',
  () => client.listSpikes({ days: 7 }, as('FULL')),
  ({ data }) => data.map(({ metric }) => metric).join(),
);
await told(
  'signings',
  () => client.listSignings(as('FULL')),
  ({ data }) => data.map((one) => one.artist_name).join(),
);
await told('401', () => client.listArtists({}, as('UNKNOWN')));
await told('revoked', () => client.listArtists({}, as('REVOKED')));
await told('429', () => thrice(() => client.listSignings(as('LAST'))));

if (form === 'current') {
  const { getArtist, listAddedArtists, listArtists } = current;
  await told(
    'history',
    () => listArtists({ limit: 100, include: 'history' }, as('FULL')),
    ({ data }) => data.flatMap(({ history = {} }) => Object.values(history).flat()).length,
  );
  await told(
    'artist',
    () => getArtist(process.env['ARTIST'] ?? '', as('FULL')),
    ({ data }) => `${data.history?.['monthly_listeners']?.length} ${data.metrics.spotify_streams}`,
  );
  await told(
    'added',
    () => listAddedArtists({ days: 90 }, as('FULL')),
    ({ data }) => data.length,
  );
  await told('400', () => listArtists({ cursor: 'x' }, as('FULL')));
  await told('404', () => getArtist('nobody', as('FULL')));
} else {
  const { listArtists } = variant;
  await told(
    'basic',
    () => listArtists({ fields: 'basic', signed: true }, as('FULL')),
    ({ count }) => count,
  );
  await told('404', () => listArtists({ id: 'nobody' }, as('FULL')));
}
