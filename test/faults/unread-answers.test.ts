import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { buildKey } from '../support/builders.ts';
import { endProcess, killWithTests } from '../support/child-process.ts';
import { createCleanup } from '../support/cleanup.ts';
import { readFixtures } from '../support/documents.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { countStatuses, p99, startLoad } from '../support/load.ts';
import { until } from '../support/wait.ts';

const connectionsPerKey = 90; // of the 100 requests an hour that a key has
const artists = 558;
const songs = 20;

const [example] = readFixtures().artists;

/** A list of 200 of them has 1.1 MB in the variant form. */
const artistDocuments = Array.from({ length: artists }, (_, index) => ({
  ...example,
  _id: `doc${index}`,
  id: `art_${index}`,
  name: `Artist ${index}`,
  updated_at: '2026-08-22T00:00:00Z',
  songs: Array.from({ length: songs }, (_, song) => ({
    id: `song_${index}_${song}`,
    name: `Song ${song} of artist ${index}`,
    artwork: `https://images.example.com/${index}/${song}/${'a'.repeat(120)}.jpg`,
    metrics: { streams: 1_000 * song, ugc_tiktok: song, ugc_instagram: song },
  })),
}));

const scopes = ['artists:read', 'spikes:read', 'signings:read'];
const hoarding = ['hoardera1', 'hoarderb2', 'hoarderc3'].map((id) => buildKey({ id }));
const other = buildKey({ id: 'otherkey1' });

const keyDocument = ({ record: { id, hash } }: typeof other, organization: string, perHour: number | undefined) => ({
  _id: id,
  hash,
  organization_id: organization,
  partner: organization,
  form: 'variant',
  scopes,
  quota: { per_hour: perHour },
  created_at: '2026-01-01T00:00:00Z',
});

const writeCatalogue = async (folder: string): Promise<void> => {
  const contents = {
    artists: artistDocuments,
    history: [],
    labels: [],
    organizations: ['hoarder', 'other'].map((name) => ({ _id: name, name })),
    api_keys: [...hoarding.map((key) => keyDocument(key, 'hoarder', undefined)), keyDocument(other, 'other', 100_000)],
  };
  for (const [name, documents] of Object.entries(contents)) {
    await writeFile(join(folder, `${name}.json`), JSON.stringify(documents));
  }
};

const program = fileURLToPath(new URL('../support/faults/unread-answers.py', import.meta.url));

describe('270 clients of an organization that read nothing of their answers', () => {
  const cleanup = createCleanup();
  afterEach(cleanup.run);

  it('delay nobody, and are disconnected after 30 s, but for one that takes a few bytes every 5 s', async () => {
    const folder = cleanup.addFolder(await mkdtemp(join(tmpdir(), 'unread-')));
    await writeCatalogue(folder);
    const gateway = await cleanup.start(startGatewayProcess({ CATALOGUE_DIR: folder }));
    const ask = () => gateway.get('/api/v1/artists?limit=1', other.text);
    const port = new URL(gateway.url).port;
    const texts = hoarding.map(({ text }) => text);
    const target = '/api/v1/artists?limit=200';
    const clients = spawn('python3', ['-B', program, port, String(connectionsPerKey), target, ...texts], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    killWithTests(clients);
    cleanup.add(clients, (child) => endProcess(child));
    const [asked] = await once(createInterface({ input: clients.stdout }), 'line');
    expect(asked).to.equal('270');
    const load = startLoad(ask, 50);
    const unread = () => gateway.lines.filter((line) => line.includes('"organization":"hoarder"'));
    await until('all but one are disconnected', () => unread().length === 269);
    await wait(5_000); // the one that reads has been connected for 35 s at least
    const samples = await load.stop();
    expect(countStatuses(samples)).to.match(/^200 × \d+$/);
    // A generous bound: the gateway and all clients share this machine.
    expect(p99(samples)).to.be.below(1_000);
    const sent = unread().map((line) => Number(/"ms":([\d.]+)/.exec(line)?.[1]));
    expect(sent).to.have.length(269);
    expect(Math.min(...sent)).to.be.at.least(30_000);
    // What was taken is checked once a second. Much later it would be another bound: Node's own time-out would take 60 s.
    expect(Math.max(...sent)).to.be.below(45_000);
  });
});
