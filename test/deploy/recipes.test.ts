import { readFileSync, statSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import {
  type OperatorEnvironment,
  useOperatorEnvironment,
} from '../support/cli/operator-environment.ts';
import { builtCommand } from '../support/cli/run.ts';
import { guideSteps } from '../support/deploy/guide-steps.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { projectFolder, readProjectFile } from '../support/deploy/working-copy.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { readDocumentedUsers, runUsersScript } from '../support/stores/documented-users.ts';
import { rejectionOf, until } from '../support/wait.ts';

const archiver = fileURLToPath(new URL('../support/deploy/mongo-archive.mjs', import.meta.url));
/** Every collection that the product writes. */
const collections = readDocumentedUsers('gateway', '').roles.flatMap(({ privileges }) =>
  privileges.flatMap(({ resource: { collection } }) => (collection === '' ? [] : [collection])),
);

const path = '/api/v1/artists?limit=1';

/** What the unit of the nightly backup runs, as systemd reads it. */
const nightlyBackup = (): string => {
  const unit = readProjectFile('deploy/systemd/artist-gateway-backup.service');
  const [, script = ''] = /^ExecStart=\/bin\/sh -uc '([^']+)'$/m.exec(unit) ?? [];
  return `(${script.replaceAll('\\\n', ' ').replaceAll('%%', '%').replaceAll('$$', '$')})\n`;
};

/** What the operator sees of a database: everything that a restore has to bring back. */
const contentsOf = async (
  { done }: OperatorEnvironment,
  folder: string,
): Promise<readonly string[]> => {
  await done('catalogue export', folder);
  const files = await runProgram('sh', ['-c', 'cat *.ndjson'], folder);
  return [
    files,
    ...(await Promise.all(
      ['keys list', 'organizations list', 'keys log'].map((words) => done(words, '--json')),
    )),
  ];
};

describe('the recipes of the operator’s guide', () => {
  const cleanup = useCleanup(after);
  const environment = useOperatorEnvironment({ redis: true });
  const empty = useOperatorEnvironment();
  let gateway: GatewayProcess;
  let key: { readonly id: string; readonly text: string };
  before(async () => {
    const { done, issue, settings } = environment;
    await done('catalogue import', join(projectFolder, 'fixtures/catalogue'));
    await done('organizations set acme --name Acme');
    key = await issue('current');
    gateway = await cleanup.start(startGatewayProcess({ ...settings, STORE_TIMEOUT_MS: '5000' }));
    await until('it serves', async () => (await gateway.get(path, key.text)).status === 200);
  });

  const program = (): string => `'${process.execPath}' '${builtCommand()}' "$@"`;

  /** Runs commands, by default in a folder of their own. */
  const follow = async (
    steps: string,
    { settings }: OperatorEnvironment,
    stubs = '',
    given?: string,
  ): Promise<[string, string]> => {
    const folder = given ?? (await cleanup.makeFolder('recipe'));
    await writeFile(join(folder, 'gateway.log'), gateway.lines.join('\n'));
    await writeFile(join(folder, 'backup.yaml'), `uri: ${settings['MONGODB_URL']}\n`);
    const exports = Object.entries(settings).map(([name, value]) => `export ${name}='${value}'`);
    const script = [
      `export COLLECTIONS='${collections.join()}'`,
      ...exports,
      `artist-gateway() { ${program()}; }`,
      stubs,
      steps
        .replaceAll('KEY', key.id)
        .replaceAll('/etc/artist-gateway/', '')
        .replace('/var/lib/artist-gateway-backup', '.')
        .replace(/^backup=\S+ log=\S+/m, 'backup=$(ls gateway-*.gz)'),
    ].join('\n');
    return [await runProgram('bash', ['-euo', 'pipefail', '-c', script], folder), folder];
  };

  it('restore keys, organizations, audit log and catalogue into an empty database', async () => {
    const archive = (action: string): string =>
      `'${process.execPath}' '${archiver}' ${action} "$@"`;
    const url = empty.settings['MONGODB_URL'];
    const dump = `mongodump() { ${archive('dump')}; }`;
    const restore = `mongorestore() { echo 'uri: ${url}' > backup.yaml; export MONGODB_URL='${url}'; ${archive('restore')}; }`;
    const doctor = `artist-gateway() { [ "$1" = doctor ] || ${program()}; }`; // the empty database has no Redis
    const steps = nightlyBackup() + guideSteps('Restore');
    await follow(steps, environment, [dump, restore, doctor].join('\n'));
    const [before, after] = [await cleanup.makeFolder('before'), await cleanup.makeFolder('after')];
    const restored = await contentsOf(empty, join(after, 'out'));
    expect(restored).to.deep.equal(await contentsOf(environment, join(before, 'out')));
    expect(restored[1]).to.include(key.id);
  });

  const archived = '"$(echo "$*" | sed s/.*--archive=//)"';
  for (const [night, dump, command, left] of [
    [
      'no file if the database is down',
      `echo half > ${archived}; return 1`,
      'echo half; return 1',
      ['gz.new', 'json.new'],
    ],
    [
      'only the audit log if mongodump fails',
      `echo half > ${archived}; return 1`,
      'echo []',
      ['gz.new', 'json'],
    ],
    [
      'only the audit log if mongodump finds no key',
      `echo users | gzip > ${archived}`,
      'echo []',
      ['gz.new', 'json'],
    ],
  ] as const)
    it(`leave ${night}, and fail`, async () => {
      const folder = await cleanup.makeFolder('recipe');
      const stubs = `mongodump() { ${dump}; }\nartist-gateway() { ${command}; }`;
      await writeFile(join(folder, 'gateway-2026-12-31T0200.gz.new'), 'half');
      await rejectionOf(follow(nightlyBackup(), environment, stubs, folder));
      const files = (await readdir(folder)).filter((name) => /^(gateway|keys-log)-/.test(name));
      expect(files.map((name) => name.replace(/^[^.]+\./, '')).sort()).to.deep.equal(left);
    });

  it('create or update roles and users of MongoDB, after both passwords', () => {
    const existing = new Set<string>();
    const sent: string[] = [];
    const create = (name = '') => {
      existing.add(name);
      sent.push(`create ${name}`);
    };
    const known = (name: string) => (existing.has(name) ? {} : null);
    const db = {
      getName: () => 'gateway',
      getRole: known,
      getUser: known,
      createRole: ({ role }: { role: string }) => create(role),
      createUser: ({ user }: { user: string }) => create(user),
      updateRole: (role: string) => sent.push(`update ${role}`),
      updateUser: (user: string) => sent.push(`set the password of ${user}`),
      grantRolesToUser: (user: string) => sent.push(`update ${user}`),
    };
    const passwords = ['one'];
    const next = () => {
      const password = passwords.shift();
      if (password === undefined) throw new Error('Ctrl-C');
      return password;
    };
    expect(() => runUsersScript(db, next)).to.throw('Ctrl-C');
    expect(sent).to.deep.equal([]);
    for (const action of ['create', 'update']) {
      passwords.push(...(action === 'create' ? ['one', 'two'] : ['', '']));
      runUsersScript(db, next);
      expect(sent.splice(0)).to.deep.equal(
        ['artistGateway', 'artistOperator', 'artist-gateway', 'artist-operator'].map(
          (name) => `${action} ${name}`,
        ),
      );
    }
    passwords.push('', 'new');
    runUsersScript(db, next);
    expect(sent.filter((text) => text.startsWith('set'))).to.deep.equal([
      'set the password of artist-operator',
    ]);
  });

  it('show the quotas of an organization and of a key', async () => {
    const [printed] = await follow(guideSteps('A partner gets 429'), environment);
    expect(printed)
      .to.match(/30 a minute, .* counted for organization:acme$/m)
      .and.to.match(new RegExp(`200 an hour, counted for key:${key.id}$`, 'm'));
  });

  it('replace a leaked key, and show who used it', async () => {
    const journalctl = 'journalctl() { cat gateway.log; }';
    const [printed, folder] = await follow(guideSteps('A leaked key'), environment, journalctl);
    const newKey = join(folder, 'new-key');
    const successor = readFileSync(newKey, 'utf8').trim();
    await until(
      'gateways refuse it',
      async () => (await gateway.get(path, key.text)).status === 401,
    );
    // 429 too: the questions above spent the organization's minute.
    await until(
      'gateways know its successor',
      async () => (await gateway.get(path, successor)).status !== 401,
    );
    expect(printed)
      .to.include('acme')
      .and.to.match(new RegExp(`"key":"${key.id}".*"msg":"request"`));
    expect(await environment.done('keys log', '--key', key.id)).to.include(
      'in a public repository',
    );

    expect(statSync(newKey).mode & 0o777).to.equal(0o600);
    const again = await rejectionOf(
      follow(guideSteps('A leaked key'), environment, journalctl, folder),
    );
    expect(again).to.match(/new-key: cannot overwrite existing file/);
    expect(readFileSync(newKey, 'utf8').trim()).to.equal(successor);
  });
});

describe('the steps of the nightly comparison', () => {
  const cleanup = useCleanup(afterEach);

  /** Of an earlier run. */
  const previous = 'CURRENT_KEY=previous\nCOMPARE_URL=http://127.0.0.1:3001\n';

  /** Runs them in `sh`, which is not bash everywhere, with `body` as the program of the operator. */
  const follow = async (
    body: string,
  ): Promise<{ readonly keys: string; readonly calls: string }> => {
    const folder = await cleanup.makeFolder('nightly');
    const calls = join(folder, 'calls');
    const file = join(folder, 'artist-gateway-compare.env');
    await writeFile(file, previous);
    for (const [name, lines] of [
      ['artist-gateway', `echo "$1 $2" >> '${calls}'\n${body}`],
      ['systemctl', `echo "systemctl $1" >> '${calls}'`],
    ] as const)
      await writeFile(join(folder, name), `#!/bin/sh\n${lines}\n`, { mode: 0o700 });
    const steps = readProjectFile('deploy/systemd/artist-gateway-compare-keys').replaceAll(
      '/etc/',
      `${folder}/`,
    );
    await runProgram('sh', ['-c', `PATH='${folder}':$PATH\n(${steps})\ntrue`]);
    const read = (path: string): string => readFileSync(path, 'utf8');
    return { keys: read(file), calls: read(calls) };
  };

  it('store a key of each form, then enable the timer', async () => {
    const { keys, calls } = await follow('[ "$1" = organizations ] || echo "issued with $8 $9"');
    expect(keys).to.equal(
      'CURRENT_KEY=issued with current --scopes\nVARIANT_KEY=issued with variant --per-hour\nCOMPARE_URL=http://127.0.0.1:3001\n',
    );
    expect(calls).to.equal('organizations set\nkeys issue\nkeys issue\nsystemctl enable\n');
  });

  it('enable nothing and keep the file if no key can be issued', async () => {
    const { keys, calls } = await follow('[ "$1" = organizations ]');
    expect(keys).to.equal(previous);
    expect(calls).to.equal('organizations set\nkeys issue\n');
  });
});
