import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Db, MongoClient } from 'mongodb';
import { useCleanup } from '../support/cleanup.ts';
import {
  artistDocuments,
  createInputFolder,
  type InputFolder,
  seriesDocuments,
} from '../support/cli/input-folder.ts';
import { expectRefusal } from '../support/cli/operator-environment.ts';
import { type CommandResult, run } from '../support/cli/run.ts';
import { demoKey, insertDocuments, readFixtures } from '../support/documents.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { type MongoProcess, startMongoProcess } from '../support/mongo-server.ts';
import { type DocumentedUsers, readDocumentedUsers } from '../support/stores/documented-users.ts';
import { until } from '../support/wait.ts';

const password = 'a secret/of ours';

/** Creates a private authority, and a certificate of this machine signed by it. */
const makeCertificates = (folder: string) => {
  const at = (name: string) => join(folder, name);
  const openssl = (args: string) =>
    execFileSync('openssl', args.split(' '), { cwd: folder, stdio: 'ignore' });
  const pair = (name: string) => `-newkey rsa:2048 -nodes -keyout ${name}.key`;
  openssl(`req -x509 ${pair('authority')} -days 2 -subj /CN=authority -out authority.pem`);
  const names = '-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1';
  openssl(`req ${pair('server')} ${names} -out server.csr`);
  const signing = '-CA authority.pem -CAkey authority.key -copy_extensions copy';
  openssl(`x509 -req -in server.csr ${signing} -days 2 -out server.pem`);
  appendFileSync(at('server.pem'), readFileSync(at('server.key')));
  return { authority: at('authority.pem'), certificate: at('server.pem') };
};

describe("users with the rights of the operator's guide, over TLS with a private authority", () => {
  const cleanup = useCleanup(after);
  let mongo: MongoProcess;
  let authority: string;
  let documented: DocumentedUsers;
  let root: Db;
  let folder: InputFolder;

  const urlOf = (user: string, more: Record<string, string> = { tlsCAFile: authority }): string => {
    const url = new URL(mongo.url('gateway'));
    Object.assign(url, { username: user, password });
    for (const [name, value] of Object.entries({ tls: 'true', ...more }))
      url.searchParams.set(name, value);
    return url.href;
  };
  /** Runs a command as the operator; its words may be followed by paths. */
  const operate = (words: string, ...paths: string[]): Promise<CommandResult> =>
    run({ MONGODB_URL: urlOf('artist-operator') }, [...words.split(' '), ...paths]);
  const done = async (words: string, ...paths: string[]): Promise<string> => {
    const { code, stdout, stderr } = await operate(words, ...paths);
    expect(code, `${words}\n${stderr}`).to.equal(0);
    return stdout;
  };
  const examine = (user: string): Promise<CommandResult> =>
    run({ MONGODB_URL: urlOf(user) }, ['doctor']);
  const serve = (): Promise<GatewayProcess> =>
    cleanup.start(
      startGatewayProcess({
        MONGODB_URL: urlOf('artist-gateway'),
        USAGE_FLUSH_SECONDS: '1',
        FIXED_NOW: '2026-08-22T12:00:00Z',
      }),
    );
  const isServed = async ({ get }: GatewayProcess): Promise<boolean> =>
    (await get('/api/v1/artists/art_4jt8re', demoKey('qaCurrent'))).status === 200;

  /** Works while a role lacks one right. */
  const without = async (role: string, right: string, work: () => Promise<void>): Promise<void> => {
    const { privileges = [] } =
      documented.roles.find(({ createRole }) => createRole === role) ?? {};
    const less = privileges.map(({ resource, actions }) => ({
      resource,
      actions: actions.filter((action) => action !== right),
    }));
    const update = (given: object) =>
      root.command({ updateRole: role, privileges: given, roles: [] });
    await update(less.filter(({ actions }) => actions.length > 0));
    await work().finally(() => update(privileges));
  };

  before(async () => {
    const made = makeCertificates(await cleanup.makeFolder('tls'));
    authority = made.authority;
    mongo = await cleanup.start(startMongoProcess({ journal: true }));
    documented = readDocumentedUsers('gateway', password);
    const open = cleanup.add(new MongoClient(mongo.url('gateway'), { journal: true }), (client) =>
      client.close(),
    );
    for (const command of [...documented.roles, ...documented.users])
      await open.db().command({ ...command });
    await open
      .db('admin')
      .command({ createUser: 'root', pwd: password, roles: [{ role: 'root', db: 'admin' }] });
    await insertDocuments(open.db(), readFixtures());
    await mongo.restart({ journal: true, auth: true, tls: { certificate: made.certificate } });
    const client = new MongoClient(urlOf('root', { tlsCAFile: authority, authSource: 'admin' }));
    root = cleanup.add(client, (one) => one.close()).db();
    folder = cleanup.add(await createInputFolder(), ({ remove }) => remove());
    await folder.write('artists', artistDocuments(3));
    await folder.write('history', seriesDocuments(3));
  });

  it('create indexes, import, remove, export, and change keys as the operator', async () => {
    for (const command of ['catalogue indexes', 'keys list', 'keys log', 'usage'])
      await done(command);
    await done('catalogue import', folder.path);
    await done('organizations set acme --name Acme');
    const issue = 'keys issue --organization acme --partner Acme --form current --scopes';
    const key = await done(`${issue} artists:read`);
    await done(`keys revoke ${key.split('_')[1]} --yes --reason leaked`);
    await folder.write('artists', artistDocuments(2));
    await folder.write('history', seriesDocuments(2));
    await folder.write('labels', []);
    const all = join(await cleanup.makeFolder('export'), 'all');
    await done('catalogue export', all);
    await done('catalogue import --prune-at-most 99 --yes', folder.path);
    await done('catalogue import', all);
  });

  it('serve requests and write usage as the gateway, without a warning', async () => {
    const gateway = await serve();
    await until('the history is served', () => isServed(gateway));
    await until(
      'usage is written',
      async () => (await root.collection('usage').countDocuments()) > 0,
    );
    expect(gateway.lines.filter((line) => /"level":"(warn|error)"/.test(line))).to.deep.equal([]);
  });

  for (const user of ['artist-gateway', 'artist-operator'])
    it(`satisfy the doctor as ${user}`, async () => {
      const { code, stdout, stderr } = await examine(user);
      expect(code, stdout + stderr).to.equal(0);
      expect(stdout).to.match(/mongodb rights\tok/);
    });

  it('are rejected with another authority of the same name, or with another password', async () => {
    const renewed = makeCertificates(await cleanup.makeFolder('renewed')).authority;
    for (const [MONGODB_URL, said] of [
      [
        urlOf('artist-operator', { tlsCAFile: renewed }),
        /^MongoDB cannot be reached \(its certificate is not trusted.*\): put the certificate of its authority into /,
      ],
      [
        urlOf('artist-operator').replace(encodeURIComponent(password), 'another'),
        /^MongoDB cannot be reached \(user or password refused\)/,
      ],
    ] as const)
      expectRefusal(await run({ MONGODB_URL }, ['keys', 'list']), said);
  });

  // What SecantusDB names is the database, MongoDB the collection.
  for (const [right, needed] of [
    ['find', 'find'],
    ['listIndexes', 'listIndexes'],
    ['update', '(insert and )?update'],
  ] as const)
    it(`log and print ${right} in the doctor if the gateway lacks it`, () =>
      without('artistGateway', right, async () => {
        const gateway = await serve();
        const said = new RegExp(`"reason":"MongoDB: its user needs ${needed} on gateway[."]`);
        await until(
          'a request is served, or cannot be',
          async () => (await isServed(gateway)) || right !== 'update',
        );
        await until('it says why', () => gateway.lines.some((line) => said.test(line)));
        const { code, stdout } = await examine('artist-gateway');
        expect(code).to.equal(1);
        expect(stdout).to.match(new RegExp(`mongodb rights\\tfail\\t.+ ${needed} on gateway`));
      }));

  for (const [right, command, needed] of [
    ['find', 'keys list', 'find'],
    ['insert', 'organizations set other --name Other', 'insert'],
    ['update', 'organizations set acme --name Changed', '(insert and )?update'],
    ['remove', 'catalogue import --prune-at-most 99 --yes', 'remove'],
    ['listIndexes', 'catalogue indexes --dry-run', 'listIndexes'],
    ['createIndex', 'catalogue indexes', 'createIndex'],
  ] as const)
    it(`print ${right} if the operator lacks it for \`${command}\``, () =>
      without('artistOperator', right, async () => {
        const paths = command.includes('import') ? [folder.path] : [];
        if (right === 'createIndex') await root.collection('labels').dropIndex('name'); // else there is none to create
        expectRefusal(
          await operate(command, ...paths),
          new RegExp(
            `^MongoDB refused \\(its user needs ${needed} on gateway(\\.\\w+)?\\): grant it: docs/operating\\.md`,
          ),
        );
      }));
});
