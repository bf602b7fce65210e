import { execFileSync } from 'node:child_process';
import { readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseDocumentFile } from '../../adapters/stores/documents/document-file.ts';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { StoreError } from '../../src/runtime/store-error.ts';
import { useStarted } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { readFixtures, type StoredDocument } from '../support/documents.ts';
import { createTestGateway, fullKeys, type TestGateway } from '../support/gateway.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';

const id = 'art_4jt8re';
const other = 'art_9bk2fs';

describe('files whose content changes', () => {
  const { artists, history, labels } = readFixtures();
  const folder = useStarted(createDocumentFolder, ({ close }) => close(), true);
  const gateways: TestGateway[] = [];

  const write = (documents: { artists: StoredDocument[]; history: StoredDocument[] }) =>
    folder.write({ ...documents, labels });
  const open = async (): Promise<TestGateway> => {
    const source = createEmbeddedCatalogue({
      folder: folder.path,
      clock: createManualClock(),
      rebaseToToday: false,
    });
    const gateway = await createTestGateway({ source });
    gateways.push(gateway);
    return gateway;
  };
  const get = (gateway: TestGateway, path: string, headers = {}) =>
    gateway.get(`/api/v1${path}`, fullKeys.current.text, headers);
  const tagsOf = async (gateway: TestGateway): Promise<readonly string[]> =>
    Promise.all(
      [`/artists/${id}`, '/artists', `/artists/${other}`, '/spikes'].map(async (path) =>
        String((await get(gateway, path)).headers['etag']),
      ),
    );

  beforeEach(() => write({ artists, history }));
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.close();
  });

  const changed = artists.map((artist) =>
    artist['id'] === id ? { ...artist, name: 'Renamed' } : artist,
  );
  const changedHistory = history.map((series) =>
    series['artist_id'] === id ? { ...series, points: [] } : series,
  );

  it('keep the last version, and say why, while one is a named pipe', async () => {
    const gateway = await open();
    const before = await tagsOf(gateway);
    const file = join(folder.path, 'artists.json');
    await rename(file, `${file}.aside`);
    execFileSync('mkfifo', [file]);
    const [failure] = await Promise.allSettled([gateway.gateway.catalogue.refresh()]);
    expect(failure)
      .to.have.nested.property('reason.message')
      .that.includes('is not a regular file');
    expect(await tagsOf(gateway)).to.deep.equal(before);
    await rename(`${file}.aside`, file);
  });

  for (const [what, documents] of [
    ['an artist', { artists: changed, history }],
    ['a history', { artists, history: changedHistory }],
  ] as const) {
    it(`have another ETag, and no 304, when ${what} changes without a newer updated_at; it is reported once`, async () => {
      const gateway = await open();
      const before = await tagsOf(gateway);
      await write(documents);
      for (let load = 0; load < 3; load++) await gateway.gateway.catalogue.refresh();
      const after = await tagsOf(gateway);
      expect(after[0]).not.to.equal(before[0]);
      expect(after[1]).not.to.equal(before[1]);
      expect(after[3]).not.to.equal(before[3]);
      expect(after[2]).to.equal(before[2]);
      expect(
        (await get(gateway, `/artists/${id}`, { 'If-None-Match': before[0] })).status,
      ).to.equal(200);
      expect((await get(gateway, `/artists/${id}`, { 'If-None-Match': after[0] })).status).to.equal(
        304,
      );
      const reports = gateway.log.entries.filter(
        ({ event }) => event === 'content changed without a newer updated_at',
      );
      expect(reports).to.have.length(1);
    });
  }

  it('report no change of a second artist with the same id when another file changes', async () => {
    const second = {
      ...artists.find((artist) => artist['id'] === id),
      _id: 'another',
      name: 'Two',
    };
    await write({ artists: [...artists, second], history });
    const gateway = await open();
    await write({ artists: [...artists, second], history: history.slice(1) });
    await gateway.gateway.catalogue.refresh();
    const changes = gateway.log.entries.filter(({ event }) => event.startsWith('content changed'));
    expect(JSON.stringify(changes)).to.not.include('"another"');
  });

  it('have equal ETags on gateways that loaded them at different times', async () => {
    const first = await open();
    await write({ artists: changed, history: changedHistory });
    await first.gateway.catalogue.refresh();
    expect(await tagsOf(await open())).to.deep.equal(await tagsOf(first));
  });

  it('are read again when another file of the same size and time of change takes their name', async () => {
    const path = join(folder.path, 'artists.json');
    const gateway = await open();
    const { atime, mtime } = await stat(path);
    const text = await readFile(path, 'utf8');
    await writeFile(
      `${path}.new`,
      text.replace('"name":"', '"name":"X').replace(/("name":"X[^"]*)[^"]"/, '$1"'),
    );
    await utimes(`${path}.new`, atime, mtime);
    expect((await stat(`${path}.new`)).size).to.equal(
      text.length === 0 ? 0 : (await stat(path)).size,
    );
    await rename(`${path}.new`, path);
    await gateway.gateway.catalogue.refresh();
    const names =
      gateway.gateway.catalogue.value()?.snapshot.listed.map(({ artist }) => artist.name) ?? [];
    expect(names.filter((name) => name.startsWith('X'))).to.have.length(1);
  });

  it('give the histories of the artists that were loaded before while a new snapshot is built', async () => {
    const source = createEmbeddedCatalogue({
      folder: folder.path,
      clock: createManualClock(),
      rebaseToToday: false,
    });
    const before = (await source.load()).artists.find(({ artist }) => artist.id === id)?.artist;
    if (before === undefined) throw new Error(`there is no artist ${id}`);
    const whole = await source.read(before);
    expect(whole.series).to.have.length.greaterThan(0);
    await write({ artists: artists.filter((artist) => artist['id'] !== id), history: [] });
    const { artists: after } = await source.load();
    expect(after.map(({ artist }) => artist.id)).not.to.include(id);
    expect(await source.read(before)).to.equal(whole);
  });

  it('that are not UTF-8 are read with U+FFFD, and reported with the first wrong line until they are converted', async () => {
    const gateway = await open();
    const [before = '', after = ''] = JSON.stringify(changed, null, 1).split('Renamed');
    const faults = async (encoding: BufferEncoding): Promise<readonly string[]> => {
      await write({ artists, history });
      const bytes = [
        Buffer.from(`${before}Bj`),
        Buffer.from('\u00f6', encoding),
        Buffer.from(`rk${after}`),
      ];
      await writeFile(join(folder.path, 'artists.json'), Buffer.concat(bytes));
      await gateway.gateway.catalogue.refresh();
      const found = gateway.gateway.catalogue.value()?.snapshot.faults ?? [];
      return found
        .filter(({ event }) => event.startsWith('text'))
        .map(({ document, reason }) => `${document}: ${reason}`);
    };
    const line = before.split('\n').length;
    expect(await faults('latin1')).to.deep.equal([
      `${join(folder.path, 'artists.json')} line ${line}: a byte is not UTF-8: convert the file, from Windows-1252 or Latin-1: iconv -f cp1252 -t utf-8`,
    ]);
    expect((await get(gateway, `/artists/${id}`)).text).to.include('"Bj\ufffdrk"');
    expect(await faults('utf8')).to.deep.equal([]);
    expect((await get(gateway, `/artists/${id}`)).text).to.include('"Bj\u00f6rk"');
  });

  it('read a lone surrogate as U+FFFD, and a pair as its character', () => {
    for (const [file, text] of [
      ['artists.json', '[{"name": "a\\ud83d b\\ud83c\\udf89"}]'],
      ['artists.ndjson', '{"name": "a\\ud83d b\\ud83c\\udf89"}\n'],
    ] as const) {
      const { documents } = parseDocumentFile(Buffer.from(text), file);
      expect(documents.map(({ value }) => value)).to.deep.equal([{ name: 'a\ufffd b\u{1f389}' }]);
    }
  });

  it('say what to do, and are no bug with a stack, while one of them cannot be read', async () => {
    await write({ artists, history });
    const source = createEmbeddedCatalogue({
      folder: folder.path,
      clock: createManualClock(),
      rebaseToToday: false,
    });
    await source.load();
    for (const content of ['[{"_id": "a"', 'no JSON']) {
      await writeFile(join(folder.path, 'artists.json'), content);
      const failure: unknown = await source.load().catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(StoreError);
      expect(failure).to.have.property('message').that.includes('artists.json line 1');
      expect(failure)
        .to.have.property('remedy')
        .that.matches(/^correct the file, or the rights of /);
    }
  });
});
