import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { dayOf } from '../../src/domain/day.ts';
import { useCleanup } from '../support/cleanup.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import {
  keyDocument,
  type OperatorEnvironment,
  useOperatorEnvironment,
} from '../support/cli/operator-environment.ts';
import { openTerminal, openWarmTerminal, type Terminal } from '../support/cli/terminal.ts';
import { buildUsageCount } from '../support/usage.ts';
import { until } from '../support/wait.ts';

/** Captures of terminals are compared with these files. `RECORD_TERMINAL=1` writes them again. */
const captures = new URL('../../fixtures/terminal/', import.meta.url);
const records = process.env['RECORD_TERMINAL'] === '1';

const now = '2026-08-22T12:00:00.000Z';
const daysFromNow = (days: number): Date => new Date(Date.parse(now) + days * 86_400_000);
const scopes = [
  'artists:read',
  'spikes:read',
  'signings:read',
  'signing-notes:read',
  'editorial:read',
] as const;
const reason = 'replaces the key that was found in a public repository on Thursday';

/** Commands whose output is the same on every day. */
const captured: readonly (readonly string[])[] = [
  ['keys', 'list'],
  ['keys', 'show', '3fK9sQ2xA'],
  ['keys', 'log'],
  ['organizations', 'list'],
  ['migration', 'status'],
  ['keys', 'show', 'nobody'],
];

const others: readonly (readonly string[])[] = [
  ['keys', 'issue', '--help'],
  ['usage'],
  ['migration', 'report', 'tsukimi'],
  ['compare', '--case', 'artists', '--case', 'spikes'],
];

const storeKeys = async ({ db, collection }: OperatorEnvironment): Promise<void> => {
  const key = { scopes, createdAt: daysFromNow(-400).getTime() };
  const partner = 'Acme Radio International Syndication';
  await collection('organizations').insertMany([
    {
      _id: 'acme',
      name: 'Acme Music and Broadcasting of Northern Europe',
      quota: { per_day: 5000 },
    },
    { _id: 'tsukimi', name: '月見坂ラジオ', suspended_at: daysFromNow(-3) },
  ]);
  await collection('api_keys').insertMany([
    keyDocument({ ...key, id: '3fK9sQ2xA', partner, expiresAt: daysFromNow(41).getTime() }),
    keyDocument({
      ...{ ...key, id: 'k3Jx81LmQ', organizationId: 'tsukimi', partner: '月見坂ラジオ' },
      ...{ form: 'variant', sunset: '2027-06-30' },
    }),
  ]);
  const change = { actor: 'eve', organization_id: 'acme', key_id: '3fK9sQ2xA' };
  await db.collection('key_log').insertMany([
    {
      ...change,
      at: daysFromNow(-400),
      action: 'keys issue',
      after: { partner, expires_at: daysFromNow(41), scopes },
    },
    {
      ...change,
      at: daysFromNow(-0.125),
      action: 'keys set',
      reason,
      before: { partner: 'A' },
      after: { partner: 'B' },
    },
  ]);
};

describe('in a terminal', () => {
  const operator = useOperatorEnvironment({ settings: { FIXED_NOW: now } });
  const input = useInputFolder();

  before(async () => {
    await storeKeys(operator);
    await input.write('artists', artistDocuments(3));
    await input.write('history', seriesDocuments(3));
    await operator.done('catalogue import', input.path);
  });

  const terminals = useCleanup(afterEach);
  const open = async (args: readonly string[], columns: number): Promise<Terminal> =>
    terminals.add(await openTerminal(operator.settings, args, { columns }), ({ close }) => close());

  const warm = async (columns: number) =>
    terminals.add(await openWarmTerminal(operator.settings, { columns }), ({ close }) => close());

  for (const columns of [60, 80, 120]) {
    it(`output fits ${columns} columns`, async () => {
      const terminal = await warm(columns);
      const show = async (args: readonly string[]): Promise<string> => {
        const screen = await terminal.run(args);
        const name = args.join(' ');
        expect(screen, `${name}: lines that the terminal had to wrap`).to.equal(
          await terminal.unwrapped(),
        );
        return screen;
      };
      for (const args of others) expect(await show(args), args.join(' ')).not.to.equal('');
      const shown: string[] = [];
      for (const args of captured)
        shown.push(`$ artist-gateway ${args.join(' ')}\n${await show(args)}\n`);
      const file = new URL(`${columns}-columns.txt`, captures);
      if (records) writeFileSync(file, shown.join('\n'));
      expect(shown.join('\n')).to.equal(readFileSync(file, 'utf8'));
    });
  }

  it('`usage` keeps the number of requests and the last call in 60 columns', async () => {
    const calls = {
      keyId: 'k3Jx81LmQ',
      organizationId: 'tsukimi',
      lastAt: Date.now(),
      requests: 28_800,
    };
    const total = buildUsageCount({
      ...calls,
      day: dayOf(Date.now()),
      route: '/api/v1/artists/:id',
    });
    await createMongoUsage(operator.db).write({ days: [{ ...total, id: 'one' }], hours: [] });
    const [titles, line] = (await (await warm(60)).run(['usage'])).split('\n');
    expect(titles).to.match(/ route +requests .* last call$/);
    expect(line).to.match(/^k3Jx81LmQ .* \/api\/v1\/artists\/:id +28800 .* s ago$/);
  });

  it('`--wide` prints every value whole', async () => {
    const terminal = await warm(60);
    await terminal.run(['keys', 'log', '--wide']);
    expect(await terminal.unwrapped())
      .to.include(reason)
      .and.include(daysFromNow(-0.125).toISOString());
  });

  it('a start shows one request for each form and where the other demo keys are, and ends with the address of the reference', async () => {
    const settings = { PORT: '0', OPERATIONS_PORT: '0' };
    const terminal = terminals.add(
      await openTerminal(settings, ['serve'], { columns: 120 }),
      ({ close }) => close(),
    );
    const lastLine = async () => (await terminal.screen()).split('\n').at(-1) ?? '';
    await until('it is said', async () =>
      /^Open http:\/\/127\.0\.0\.1:\d+\/docs$/.test(await lastLine()),
    );
    const shown = await terminal.unwrapped();
    expect(
      shown.match(/^ {2}curl -i -H 'Authorization: Bearer aik_\w+' 'http:\S+'$/gm),
    ).to.have.length(2);
    expect(shown).to.match(/every other answer: http:\S+\/docs, "Try every answer"$/m);
    expect(shown.match(/aik_/g), 'no key but those of the two requests').to.have.length(2);
    const page = await fetch((await lastLine()).replace('Open ', ''));
    expect(page.status).to.equal(200);
  });

  it('clears the line of progress before the question of an import', async () => {
    await input.write('artists', artistDocuments(2));
    await input.write('history', seriesDocuments(2));
    await input.write('labels', [{ name: 'Tidemark', aliases: [] }]);
    const args = ['catalogue', 'import', input.path, '--prune-at-most', '2'];
    const terminal = await open(args, 60);
    await until('it asks', async () => (await terminal.screen()).includes('[y/N]'));
    const question = (await terminal.screen()).split('\n');
    expect(question.join(' ')).to.match(
      /^Remove 1 artist and 2 series that the input no longer has\? \[y\/N\]$/,
    );
    await terminal.type('Enter');
    expect(await terminal.ended()).to.match(/Nothing was changed\.$/);
  });
});
