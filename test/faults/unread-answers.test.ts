import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { keyText } from '../../src/keys/key-format.ts';
import { endProcess, killWithTests } from '../support/child-process.ts';
import { useCleanup } from '../support/cleanup.ts';
import { artistDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { keyDocument } from '../support/cli/operator-environment.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { expectUndelayed, startLoad } from '../support/load.ts';
import { until } from '../support/wait.ts';

const connectionsPerKey = 90; // of the 100 requests an hour that a key has

/** A list of 200 of them has 1.1 MB in the variant form. */
const artists = artistDocuments(558).map((artist) => ({
  ...artist,
  songs: Array.from({ length: 20 }, (_, song) => ({
    id: `sng_${artist['id']}_${song}`,
    name: `Song ${song}`,
    artwork: `https://images.example.com/${song}/${'a'.repeat(120)}.jpg`,
    metrics: { streams: 1_000 * song, ugc_tiktok: song, ugc_instagram: song },
  })),
}));

const hoarding = ['hoardera1', 'hoarderb2', 'hoarderc3'];
const keyOf = (id: string): string => keyText(id, 'S'.repeat(43));

const collections = {
  artists,
  history: [],
  labels: [],
  organizations: ['hoarder', 'other'].map((name) => ({ _id: name, name })),
  api_keys: [
    ...hoarding.map((id) => keyDocument({ id, form: 'variant', organizationId: 'hoarder' })),
    keyDocument({ id: 'otherkey1', form: 'variant', organizationId: 'other', perHour: 100_000 }),
  ],
};

const program = fileURLToPath(new URL('../support/faults/unread-answers.py', import.meta.url));

describe('270 clients of an organization that read nothing of their answers', () => {
  const cleanup = useCleanup(afterEach);
  const folder = useInputFolder();

  it('delay nobody, and are disconnected after 30 s, but for one that takes a few bytes every 5 s', async () => {
    for (const [name, documents] of Object.entries(collections))
      await folder.write(name, documents);
    const gateway = await cleanup.start(startGatewayProcess({ CATALOGUE_DIR: folder.path }));
    const ask = () => gateway.get('/api/v1/artists?limit=1', keyOf('otherkey1'));
    const port = new URL(gateway.url).port;
    const target = '/api/v1/artists?limit=200';
    const given = [port, String(connectionsPerKey), target, ...hoarding.map(keyOf)];
    const clients = spawn('python3', ['-B', program, ...given], {
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
    expectUndelayed(await load.stop());
    const sent = unread().map((line) => Number(/"ms":([\d.]+)/.exec(line)?.[1]));
    expect(sent).to.have.length(269);
    expect(Math.min(...sent)).to.be.at.least(30_000);
    // What was taken is checked once a second. Much later it would be another bound: Node's own
    // time-out would take 60 s.
    expect(Math.max(...sent)).to.be.below(45_000);
  });
});
