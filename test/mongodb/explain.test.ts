import { expect } from 'chai';
import { Collection, type Document, type FindOptions, ObjectId } from 'mongodb';
import { formNames } from '../../adapters/forms/forms.ts';
import { mongodb } from '../../adapters/stores/mongodb/database.ts';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { addDays } from '../../src/domain/day.ts';
import { createImportLog } from '../../tools/operator/import-log.ts';
import { pathsBelow, readSource, type SourceFile, withoutTexts } from '../support/architecture.ts';
import { useCleanup } from '../support/cleanup.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { createManualClock } from '../support/clock.ts';
import { toBson } from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import { readDocumentedUsers } from '../support/stores/documented-users.ts';
import { dayTotal, hourTotal } from '../support/usage.ts';
import { until } from '../support/wait.ts';

const today = new Date().toISOString().slice(0, 10);
const artists = 10_000;

/** A query that the product sent. */
interface RecordedQuery {
  readonly collection: Collection;
  readonly filter: Document;
  readonly options: FindOptions;
  /** The lines of the product that asked for it, `path:line`, the innermost first. */
  readonly lines: readonly string[];
}

const productLine = /(?:adapters|tools)\/[\w/.-]+\.ts:\d+/;

const linesOfProduct = (): string[] => {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const { stack = '' } = new Error('the stack');
  Error.stackTraceLimit = before;
  return stack.split('\n').flatMap((frame) => productLine.exec(frame) ?? []);
};

/** What each method of a collection, or operation of `bulkWrite`, asks of the server. */
const rightOf: Readonly<Record<string, string>> = {
  ...{ find: 'find', estimatedDocumentCount: 'find', insertOne: 'insert', updateOne: 'update' },
  ...{
    replaceOne: 'update',
    deleteOne: 'remove',
    deleteMany: 'remove',
    listIndexes: 'listIndexes',
  },
  createIndexes: 'createIndex',
};

/** Records what the collections of this process ask of the server: no other test runs in it. */
const recordQueries = () => {
  const queries: RecordedQuery[] = [];
  const rights = new Set<string>();
  const record = (collection: Collection, name: string, given: Document, options: Document) => {
    const right = rightOf[name];
    if (right === undefined) throw new Error(`Which right does ${name} need?`);
    for (const one of options['upsert'] === true ? ['insert', right] : [right])
      rights.add(`${one} on ${collection.collectionName}`);
    if (!/^(find|update|replace|delete)/.test(name)) return;
    const found = { collection, filter: given, lines: linesOfProduct() };
    queries.push({ ...found, options: name === 'find' ? options : {} });
  };
  for (const name of ['bulkWrite', ...Object.keys(rightOf)]) {
    const method: unknown = Reflect.get(Collection.prototype, name);
    if (typeof method !== 'function') throw new Error(`The driver has no ${name}.`);
    // Seam: the methods are overloaded; each wrapper hands on what it was given.
    Reflect.set(
      Collection.prototype,
      name,
      function wrapper(this: Collection, ...given: Document[]): unknown {
        const [first = {}, second = {}, third = second] = given;
        if (name !== 'bulkWrite') record(this, name, first, third);
        else
          for (const operation of Object.values(first))
            for (const [of, one] of Object.entries<Document>(operation))
              record(this, of, one['filter'], one);
        return Reflect.apply(method, this, given);
      },
    );
  }
  return {
    queries,
    /** The rights that were needed since this was last called, like `find on artists`. */
    takeRights(): readonly string[] {
      const taken = [...rights];
      rights.clear();
      return taken;
    },
  };
};

/** Calls of functions that query MongoDB, whose own lines are not enough, and of methods. */
const asking = [
  /(?<![.\w*]|function\*? |^ *)(?:readRaw|readInBatches|readNamedDocuments|isEmptyCollection|readAll)/,
  /(?:\b(?:documents|collection|leases)|\.collection(?:<[^>]+>)?\([^;]+?\))\s*\.(?:find|findOne\w*|aggregate|distinct|countDocuments)/,
].map(({ source }) => new RegExp(`${source}(?:<[^(]*>)?\\(`, 'gm'));

/** The calls in a file that query MongoDB: the lines from each to the next one. */
const callsIn = ({ path, text }: SourceFile) => {
  const code = withoutTexts(text);
  const found = asking.flatMap((pattern) => [...code.matchAll(pattern)]);
  const lines = found.map(({ index }) => code.slice(0, index).split('\n').length);
  const inOrder = [...new Set(lines)].sort((one, other) => one - other);
  return inOrder.map((first, index) => ({ path, first, next: inOrder[index + 1] ?? Infinity }));
};

/** True if a query came from the call. */
const isFrom = (
  { path, first, next }: ReturnType<typeof callsIn>[number],
  { lines }: RecordedQuery,
): boolean =>
  lines.some((line) => {
    const [file, number] = line.split(':');
    return file === path && Number(number) >= first && Number(number) < next;
  });

/** The shape of a query: those that differ in values only are explained once. */
const shapeOf = ({
  collection,
  filter,
  options: { sort, projection, limit },
}: RecordedQuery): string => {
  const members = JSON.stringify(filter, (_, value) =>
    Array.isArray(value) || typeof value !== 'object' ? 0 : value,
  );
  return JSON.stringify([
    collection.collectionName,
    members,
    sort,
    Object.keys(projection ?? {}),
    limit === undefined,
  ]);
};

const isOneId = (id: unknown): boolean =>
  typeof id === 'string' ||
  id instanceof ObjectId ||
  (typeof id === 'object' && id !== null && '$eq' in id && typeof id.$eq === 'string');

/**
 * Asks only when an import has lost its lease, and then for the documents of one run, in a whole
 * collection.
 */
const isRare = ({ path }: { readonly path: string }): boolean =>
  path === 'tools/import/execute-import.ts';

/** The stages of a plan, outermost first. */
const stagesOf = (plan: Document | undefined): string[] =>
  plan === undefined ? [] : [String(plan['stage']), ...stagesOf(plan['inputStage'])];

describe('every query of the product, on 10,000 artists and a year of usage', function () {
  this.timeout(300_000); // its hook takes 20 s on a quiet machine
  const cleanup = useCleanup(after);
  const operator = useOperatorEnvironment({ redis: true });
  const folder = useInputFolder();
  let queries: readonly RecordedQuery[];
  const needed = new Map<string, readonly string[]>();

  before(async () => {
    const { db, done: run } = operator;
    const issue =
      'keys issue --organization acme --partner Acme --scopes artists:read,spikes:read,signings:read --form';

    await run('catalogue indexes');
    const documents = artistDocuments(artists).map(toBson);
    for (let start = 0; start < artists; start += 2_000)
      await db.collection('artists').insertMany(documents.slice(start, start + 2_000));
    await db
      .collection('history')
      .insertMany(
        seriesDocuments(200).map(({ song_id = null, ...series }) => ({ song_id, ...series })),
      );
    const days = Array.from({ length: 365 }, (_, index) => addDays(today, -index));
    await createMongoUsage(db).write({
      days: days.flatMap((day, index) =>
        [0, 1, 2, 3].map((key) =>
          dayTotal({ id: `${index}:${key}`, day, organizationId: `org${key}` }),
        ),
      ),
      hours: Array.from({ length: 400 }, (_, index) =>
        hourTotal({ 0: [1, 0] }, { id: `h${index}`, hour: Date.now() - index * 3_600_000 }),
      ),
    });

    const recorder = recordQueries();
    queries = recorder.queries;
    await run('organizations set acme --name Acme');
    const id = /aik_([^_]+)_/.exec(await run(`${issue} variant`))?.[1] ?? '';
    await folder.write('artists', artistDocuments(60, { name: 'Renamed' }));
    await folder.write('history', seriesDocuments(60, { add: 1 }));
    await folder.write('labels', [{ name: 'Label', aliases: [] }]);
    await run('catalogue import', folder.path);
    await run('catalogue import', await folder.write('history', seriesDocuments(60, { add: 2 })));
    await folder.write('labels', [{ name: 'Label', aliases: ['Other'] }]);
    await folder.write('artists', artistDocuments(artists).slice(0, 9_990));
    await run('catalogue import --prune-at-most 9999 --yes', folder.path);
    await folder.write('artists', artistDocuments(artists));
    await folder.write('history', seriesDocuments(201));
    await folder.write('labels', []);
    for (let times = 0; times < 2; times += 1)
      await run('catalogue import --prune-at-most 9999 --yes', folder.path);
    await run('organizations suspend acme --yes --reason test');
    await run('organizations resume acme');
    for (const command of [
      ...['doctor', 'keys list', `keys show ${id}`, `keys log --key ${id}`],
      ...[
        'keys log --organization acme',
        'keys log',
        'usage',
        'usage --organization acme',
        'migration report acme',
      ],
      ...['migration status', 'migration ids', 'migration labels'],
      'quota replay acme',
      ...[`keys revoke ${id} --yes --reason test`, 'catalogue log', 'catalogue show art_0001'],
    ])
      await operator.run(command); // what it reads counts, not what it finds
    const saved = await run('keys log --limit 999999 --json');
    await operator.run('keys verify', await folder.writeText('log.json', saved));
    await createImportLog(operator.database.documents).stop('another run', 'Interrupted');
    await run('catalogue export', `${folder.path}/out`);
    await db.collection('labels').dropIndex('name'); // else there is none to create
    await run('catalogue indexes');
    needed.set('artistOperator', recorder.takeRights());

    const clock = createManualClock(new Date().toISOString());
    const log = createMemoryLog();
    const { MONGODB_URL: url = '' } = operator.settings;
    const stores = mongodb.openStores(url, { clock, log, formNames, storeTimeoutMs: 60_000 });
    cleanup.add(stores, ({ close }) => close());
    let loaded: Awaited<ReturnType<typeof stores.catalogue.load>>['artists'] = [];
    const load = async (): Promise<boolean> => {
      ({ artists: loaded } = await stores.catalogue.load());
      return true;
    };
    await until('all artists are read within maxTimeMS', load); // as a refresher repeats it
    await stores.keys.load();
    for (const found of [loaded[0], loaded.at(-1)])
      if (found !== undefined) await stores.histories.read(found.artist);
    // A history that is missing is asked for again when the collection was emptied.
    await db.command({ delete: 'history', deletes: [{ q: {}, limit: 0 }] });
    for (const { artist } of loaded.slice(0, 1))
      await stores.histories.read(artist).catch(() => undefined);
    await stores.usage.write({ days: [dayTotal()], hours: [hourTotal({ 0: [1, 0] })] });
    needed.set('artistGateway', recorder.takeRights());
  });

  for (const role of ['artistGateway', 'artistOperator'])
    it(`needs what the operator's guide grants to ${role}, and nothing else`, () => {
      const privileges = readDocumentedUsers('gateway', '').roles.find(
        ({ createRole }) => createRole === role,
      )?.privileges;
      const granted = (privileges ?? []).flatMap(({ resource: { collection }, actions }) =>
        actions.map((action) => `${action} on ${collection}`),
      );
      const everywhere = granted.filter((right) => right.endsWith(' on '));
      const used = (needed.get(role) ?? []).map(
        (right) => everywhere.find((all) => right.startsWith(all)) ?? right,
      );
      expect([...new Set(used)]).to.have.members(granted);
    });

  it('was sent: no call in the source is missing', () => {
    const calls = ['adapters', 'tools'].flatMap(pathsBelow).map(readSource).flatMap(callsIn);
    expect(calls).to.have.length.greaterThan(15);
    const notSent = calls.filter(
      (call) => !isRare(call) && !queries.some((query) => isFrom(call, query)),
    );
    expect(notSent.map(({ path, first }) => `${path}:${first}`)).to.deep.equal([]);
  });

  it('uses an index, unless it reads a whole collection, and sorts no whole collection', async () => {
    const byShape = new Map(queries.map((query) => [shapeOf(query), query]));
    expect(byShape.size).to.be.greaterThan(15);
    const slow: string[] = [];
    for (const [shape, { collection, filter, options }] of byShape) {
      // SecantusDB explains it as a scan when the filter has more
      if (isOneId(filter['_id'])) continue;
      const plan = await operator.db
        .collection(collection.collectionName)
        .find(filter, options)
        .explain();
      const stages = stagesOf(plan['queryPlanner']?.winningPlan);
      const readsAll = Object.keys(filter).length === 0 && options.sort === undefined;
      const sortsAll = stages.includes('SORT') && Object.keys(filter).length === 0;
      if (sortsAll || (stages.includes('COLLSCAN') && !readsAll))
        slow.push(`${shape} ${stages.join(' ')}`);
    }
    expect(slow).to.deep.equal([]);
  });
});
