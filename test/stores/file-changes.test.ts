import { execFileSync } from 'node:child_process';
import { readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { StoreError } from '../../src/runtime/store-error.ts';
import { useCleanup, useStarted } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { readFixtures } from '../support/documents.ts';
import { createTestGateway, fullKeys, type TestGateway } from '../support/gateway.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';

const id = 'art_4jt8re';
const detail = `/artists/${id}`;

describe('changed files', () => {
  const { artists, history, labels } = readFixtures();
  const folder = useStarted(createDocumentFolder, ({ close }) => close(), true);
  const cleanup = useCleanup(afterEach);

  const write = (given: Readonly<Record<string, unknown>> = {}) =>
    folder.write({ artists, history, labels, ...given });
  const open = () =>
    createEmbeddedCatalogue({
      ...{ folder: folder.path, clock: createManualClock(), rebaseToToday: false },
    });
  const serve = async (): Promise<TestGateway> =>
    cleanup.add(await createTestGateway({ source: open() }), ({ close }) => close());
  const get = ({ get: send }: TestGateway, path: string, tag = '"another"') =>
    send(`/api/v1${path}`, fullKeys.current.text, { 'If-None-Match': tag });
  const tagOf = async (gateway: TestGateway, path: string) =>
    (await get(gateway, path)).headers['etag'];
  const file = (name = 'artists') => join(folder.path, `${name}.json`);

  beforeEach(() => write());

  const ofArtist = (one: object) => Object.values(one).includes(id);
  const renamed = artists.map((one) => (ofArtist(one) ? { ...one, name: 'Renamed' } : one));
  const emptied = history.map((one) => (ofArtist(one) ? { ...one, points: [] } : one));

  for (const [what, given] of [
    ['an artist', { artists: renamed }],
    ['a history', { history: emptied }],
  ] as const)
    it(`change the ETag, and are logged once, even if ${what} keeps its \`updated_at\``, async () => {
      const [first, paths] = [
        await serve(),
        [detail, '/artists', '/spikes', '/artists/art_9bk2fs'],
      ];
      const tags = () => Promise.all(paths.map((path) => tagOf(first, path)));
      const before = await tags();
      await write(given);
      for (let load = 0; load < 3; load += 1) await first.gateway.catalogue.refresh();
      const after = await tags();
      expect(after.map((tag, index) => tag !== before[index])).to.deep.equal([
        ...[true, true, true, false],
      ]);
      expect((await get(first, detail, before[0])).status).to.equal(200);
      expect((await get(first, detail, after[0])).status).to.equal(304);
      const events = first.log.entries.map(({ event }) => event);
      expect(events.filter((event) => event.startsWith('content changed'))).to.have.length(1);
      const second = await serve();
      expect(await tagOf(second, detail), 'the tag of another gateway').to.equal(after[0]);
    });

  it('remove the ETag while a series cannot be read, and restore it afterwards', async () => {
    const gateways = [await serve(), await serve()];
    const paths = ['/artists/art_5hn6ua', '/artists?include=history&limit=100'];
    const tagsOf = (gateway: TestGateway) => Promise.all(paths.map((path) => tagOf(gateway, path)));
    const incomplete = ({ gateway }: TestGateway) =>
      gateway.catalogue.value()?.incompleteHistories();
    const [one] = gateways;
    if (one === undefined) throw new Error('There is no gateway.');
    const before = await tagsOf(one);
    const broken = history.map((stored) =>
      stored['song_id'] === 'sng_w8mb31' ? { ...stored, points: 'none' } : stored,
    );
    await write({ history: broken });
    for (const gateway of gateways) {
      await gateway.gateway.catalogue.refresh();
      expect(await tagsOf(gateway)).to.deep.equal([undefined, undefined]);
      expect((await get(gateway, paths[0] ?? '', '*')).status).to.equal(200);
      expect(incomplete(gateway)).to.equal(1);
    }
    await write();
    for (const gateway of gateways) {
      gateway.clock.advance(15_000);
      await gateway.gateway.catalogue.refresh();
      expect(await tagsOf(gateway)).to.deep.equal(before);
      expect(incomplete(gateway)).to.equal(0);
    }
  });

  it('keep the last version while one is a named pipe', async () => {
    const { load } = open();
    const before = await load();
    await rename(file(), `${file()}.aside`);
    execFileSync('mkfifo', [file()]);
    const failure: unknown = await load().catch((error: unknown) => error);
    expect(failure).to.have.property('message').that.includes('is not a regular file');
    await rename(`${file()}.aside`, file());
    expect((await load()).artists).to.have.ordered.members(before.artists);
  });

  it('are read again when a file of the same size and times replaces another', async () => {
    const { load } = open();
    await load();
    const { atime, mtime, size } = await stat(file());
    const text = await readFile(file(), 'utf8');
    const next = text.replace('"name":"', '"name":"X').replace(/("name":"X[^"]*)[^"]"/, '$1"');
    await writeFile(`${file()}.new`, next);
    await utimes(`${file()}.new`, atime, mtime);
    expect((await stat(`${file()}.new`)).size).to.equal(size);
    await rename(`${file()}.new`, file());
    const names = (await load()).artists.map(({ artist }) => artist.name);
    expect(names.filter((name) => name.startsWith('X'))).to.have.length(1);
  });

  it('keep the histories of artists that were loaded before', async () => {
    const { load, read } = open();
    const before = (await load()).artists.find(({ artist }) => artist.id === id)?.artist;
    if (before === undefined) throw new Error(`there is no artist ${id}`);
    const whole = await read(before);
    expect(whole.series).to.have.length.greaterThan(0);
    await write({ artists: artists.filter((one) => !ofArtist(one)), history: [] });
    expect((await load()).artists.map(({ artist }) => artist.id)).not.to.include(id);
    expect(await read(before)).to.equal(whole);
  });

  it('read invalid UTF-8 bytes as U+FFFD, and report the first such line', async () => {
    const { load } = open();
    const [before = '', after = ''] = JSON.stringify(renamed, null, 1).split('Renamed');
    const nameIn = async (encoding: BufferEncoding) => {
      await write();
      const bytes = [Buffer.from(`${before}Bj`), Buffer.from('\u00f6rk', encoding)];
      await writeFile(file(), Buffer.concat([...bytes, Buffer.from(after)]));
      const contents = await load();
      const faults = contents.faults.filter(({ event }) => event.startsWith('invalid UTF-8'));
      return [
        contents.artists.find(({ artist }) => artist.id === id)?.artist.name,
        ...faults.map(({ document, reason }) => `${document}: ${reason}`),
      ];
    };
    const line = before.split('\n').length;
    expect(await nameIn('latin1')).to.deep.equal([
      'Bj\ufffdrk',
      `${file()} line ${line}: a byte is not UTF-8: convert the file, from Windows-1252 or Latin-1: iconv -f cp1252 -t utf-8`,
    ]);
    expect(await nameIn('utf8')).to.deep.equal(['Bj\u00f6rk']);
  });

  it('reject a load with the remedy, without a stack, while one cannot be read', async () => {
    const { load } = open();
    await load();
    for (const content of ['[{"_id": "a"', 'no JSON']) {
      await writeFile(file(), content);
      const failure: unknown = await load().catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(StoreError);
      expect(failure).to.have.property('message').that.includes('artists.json line 1');
      const remedy = /^correct the file, or the rights of /;
      expect(failure).to.have.property('remedy').that.matches(remedy);
    }
  });
});
