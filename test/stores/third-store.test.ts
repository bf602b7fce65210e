import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import { openSources } from '../../adapters/stores/open-stores.ts';
import { keyIdIn } from '../../src/keys/key-format.ts';
import { fixtureFolder, readConfig } from '../../src/runtime/config.ts';
import { createUsageRecorder, type UsageRecorder } from '../../src/usage/flusher.ts';
import { createUsageReader } from '../../tools/operator/usage.ts';
import { noCounts } from '../support/cli/import-here.ts';
import {
  artistDocuments,
  createInputFolder,
  type InputFolder,
  seriesDocuments,
} from '../support/cli/input-folder.ts';
import { runHere } from '../support/cli/run-here.ts';
import { createManualClock } from '../support/clock.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { createMemoryLog } from '../support/log.ts';
import { createMemoryDatabase, plugInMemoryDatabase } from '../support/stores/memory-database.ts';
import { type CatalogueUnderTest, describeCatalogueStore } from './catalogue.conformance.ts';
import { describeCatalogueFaults } from './catalogue-faults.conformance.ts';
import { describeKeyStore } from './keys.conformance.ts';
import { describeUsageStore } from './usage.conformance.ts';

const open = () => {
  const { openStores, openOperator, write } = createMemoryDatabase();
  const options = {
    clock: createManualClock(),
    log: createMemoryLog(),
    formNames,
    storeTimeoutMs: 250,
  };
  return {
    ...openStores('memory://here', options),
    write,
    documents: openOperator('', { formNames }).documents,
  };
};
const openCatalogue = async () => {
  const { catalogue: source, histories, write, close } = open();
  const writeCatalogue: CatalogueUnderTest['write'] = ({ artists, history, labels }) =>
    write({ artists, history, labels });
  return { source, histories, write: writeCatalogue, close };
};

describeCatalogueStore('memory', openCatalogue);
describeCatalogueFaults('memory', openCatalogue);
describeKeyStore('memory', async () => {
  const { keys: source, write, close } = open();
  return { source, write: (stored) => write({ ...stored }), close };
});
describeUsageStore('memory', async () => {
  const { usage: store, documents, close } = open();
  return { store, reader: createUsageReader(documents), close };
});

/** The time of the commands is that of the gateway's clock. */
const settings = { MONGODB_URL: 'memory://here/gateway', FIXED_NOW: '2026-08-22T12:00:00Z' };
const scopes = 'artists:read,spikes:read,signings:read';

describe('a third store: a database in memory, plugged in by one line in the list of databases', () => {
  let folder: InputFolder;
  let gateway: TestGateway;
  let usage: UsageRecorder;
  let unplug: () => void;
  let texts: Readonly<Record<string, string>>;
  const run = (...args: string[]) => runHere(settings, ...args);
  const json = async (...args: string[]) => JSON.parse(await run(...args, '--json'));
  const issue = async (form: string) => {
    const owner = ['--organization', 'acme', '--partner', 'Acme Radio', '--scopes', scopes];
    return (await run('keys', 'issue', ...owner, '--form', form, '--reason', 'contract')).trim();
  };
  const idOf = (form: string): string => keyIdIn(texts[form] ?? '') ?? 'no key';
  const answer = async (path: string, form: string) => {
    const { status, headers, body } = await gateway.get(path, texts[form]);
    return { served: `${status} ${headers['x-envelope-served']}`, body };
  };
  const served = async (form: string) => (await answer('/api/v1/artists', form)).served;

  before(async () => {
    unplug = plugInMemoryDatabase();
    await run('catalogue', 'import', fixtureFolder);
    await run('organizations', 'set', 'acme', '--name', 'Acme Music');
    texts = { current: await issue('current'), variant: await issue('variant') };
    const [clock, log] = [createManualClock(), createMemoryLog()];
    const config = readConfig(settings);
    const {
      catalogue,
      histories,
      keys,
      usage: store,
    } = await openSources(config, { clock, log, formNames });
    if (store === undefined) throw new Error('The database stores no usage.');
    usage = createUsageRecorder(store, 60_000, log);
    gateway = await createTestGateway({
      clock,
      source: { ...catalogue, ...histories },
      keys,
      usage,
    });
    folder = await createInputFolder();
  });
  after(async () => {
    unplug();
    await usage.close();
    await gateway.close();
    await folder.remove();
  });

  it('is that line: each folder with a database is in the list', () => {
    const list = readFileSync('adapters/stores/databases.ts', 'utf8');
    const folders = readdirSync('adapters/stores').filter((name) =>
      existsSync(`adapters/stores/${name}/database.ts`),
    );
    const unlisted = folders.filter((name) => !list.includes(`./${name}/database.ts`));
    expect(unlisted, 'adapters/stores/databases.ts').to.deep.equal([]);
  });

  it('answers one question in both forms', async () => {
    const current = await answer('/api/v1/artists?limit=50', 'current');
    const variant = await answer('/api/v1/artists?limit=50', 'variant');
    expect([current.served, variant.served]).to.deep.equal(['200 current', '200 variant']);
    expect(current.body.data).to.have.length(12);
    const { body } = await answer('/api/v1/artists/art_4jt8re', 'current');
    expect(body.data.history.monthly_listeners).to.have.length(12);
  });

  it('imports differences, removes with --prune, exports and counts', async () => {
    await folder.write('artists', artistDocuments(3));
    await folder.write('history', seriesDocuments(3));
    const first = await json('catalogue', 'import', folder.path, '--prune-at-most', '99', '--yes');
    expect(first).to.deep.include({ artists: { ...noCounts, created: 3, removed: 12 } });
    await folder.write('history', seriesDocuments(3).slice(1));
    const again = await json('catalogue', 'import', folder.path, '--prune-at-most', '99', '--yes');
    expect(again).to.deep.include({
      artists: { ...noCounts, touched: 1, unchanged: 2 },
      series: { ...noCounts, unchanged: 5, removed: 1 },
    });
    const exported = await json('catalogue', 'export', `${folder.path}/export`);
    expect(exported).to.deep.include({ artists: 3, series: 5, left_out: 0 });
    await gateway.gateway.catalogue.refresh();
    expect((await answer('/api/v1/artists', 'current')).body.data).to.have.length(3);
    await run('catalogue', 'import', fixtureFolder, '--prune-at-most', '99', '--yes');
    await gateway.gateway.catalogue.refresh();
  });

  it('stores what partners use, of which `usage` and `readiness` report', async () => {
    await answer('/api/v1/artists?fields=basic', 'variant');
    await usage.flush();
    const rows = await json('usage');
    expect(JSON.stringify(rows)).to.include('"/api/v1/artists"');
    expect(await json('readiness', idOf('variant'))).to.have.nested.property(
      'keys[0].key',
      idOf('variant'),
    );
  });

  it('changes keys with the key commands, and records every change', async () => {
    expect((await json('keys', 'list')).map(({ id }: { id: string }) => id)).to.have.members([
      idOf('current'),
      idOf('variant'),
    ]);
    await run('keys', 'set', idOf('current'), '--partner', 'Acme Television');
    await run('keys', 'pin', idOf('variant'), '--form', 'current', '--reason', 'asked');
    await gateway.gateway.keys.refresh();
    expect(await served('variant')).to.equal('200 current');
    await run('keys', 'revoke', idOf('current'), '--yes', '--reason', 'leaked');
    await gateway.gateway.keys.refresh();
    expect(await served('current')).to.equal('401 current');
    const actions = (await json('keys', 'log')).map(({ action }: { action: string }) => action);
    const ofKeys = ['issue', 'issue', 'set', 'pin', 'revoke'].map((command) => `keys ${command}`);
    expect(actions).to.deep.equal(['organizations set', ...ofKeys]);
  });
});
