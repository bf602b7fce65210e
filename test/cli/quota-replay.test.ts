import { expect } from 'chai';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { keyIdIn } from '../../src/keys/key-format.ts';
import type { GroupReport } from '../../tools/cli/quota/replay.ts';
import { readScopes, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { hourTotal } from '../support/usage.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
/** Two days ago at 12:00, so that all minutes are of days that are over. */
const noon = Math.floor(Date.now() / dayMs) * dayMs - 1.5 * dayMs;

describe('quota replay', () => {
  const world = useOperatorEnvironment();
  let ids: { readonly board: string; readonly app: string; readonly radio: string };

  const issue = async (form: string): Promise<string> => (await world.issue(form)).id;
  /** Stores requests of a key, by minutes after noon. */
  const store = (
    keyId: string,
    minutes: Parameters<typeof hourTotal>[0],
    organizationId = 'acme',
  ) =>
    createMongoUsage(world.db).write({
      days: [],
      hours: [hourTotal(minutes, { id: `of ${keyId}`, keyId, organizationId, hour: noon })],
    });

  before(async () => {
    await world.done('organizations set acme --name', 'Acme Music');
    ids = {
      board: await issue('current'),
      app: await issue('current'),
      radio: await issue('variant'),
    };
    await store(ids.board, { 0: [8, 0], 1: [3, 0] });
    await store(ids.app, { 0: [5, 0], 2: [20, 0] });
    await store(ids.radio, { 5: [90, 0] });
  });

  const windows = (reports: readonly GroupReport[]): string[] =>
    reports
      .flatMap(({ subject, refusals }) => refusals.map((one) => ({ subject, ...one })))
      .map(
        ({ subject, window, limit, requests, enough }) =>
          `${subject} ${limit} a ${window}: ${requests}, ${enough}`,
      );

  const replayed = (words: string) => world.json<readonly GroupReport[]>(words);

  it("replays an organization's keys together, and those with windows of their own alone", async () => {
    expect(windows(await replayed('quota replay acme'))).to.deep.equal([
      'organization:acme 10 a minute: 13, 20',
      'organization:acme 1000 a day: 0, 36',
      `key:${ids.radio} 100 a hour: 0, 90`,
    ]);
  });

  it('names the keys that asked in the worst windows, the one that asked most first', async () => {
    const [report] = await replayed('quota replay acme');
    const [minute] = report?.refusals ?? [];
    expect(minute?.worst.map(({ asked, keys }) => ({ asked, keys }))).to.deep.equal([
      { asked: 20, keys: [{ key: ids.app, asked: 20 }] },
      {
        asked: 13,
        keys: [
          { key: ids.board, asked: 8 },
          { key: ids.app, asked: 5 },
        ],
      },
    ]);
    expect(await world.done('quota replay acme --wide')).to.include(
      `\t13\t3\t${ids.board} 8, ${ids.app} 5`,
    );
  });

  it('replays given limits, and says the least that refuse nothing', async () => {
    expect(
      windows(await replayed('quota replay acme --per-minute 15 --per-day 30 --days 3')),
    ).to.deep.equal(['organization:acme 15 a minute: 0, 20', 'organization:acme 30 a day: 6, 36']);
    expect(
      await world.json('quota replay acme --per-minute 20 --per-day 36'),
    ).to.have.nested.property('[0].would_refuse', 0);
    expect(await world.done('quota replay acme --per-minute 15')).to.match(
      /limit needed\n15 a minute\t5\t/,
    );
  });

  it('replays one key against windows that its form does not have', async () => {
    const tried = await replayed(`quota replay ${ids.radio} --per-day 80 --per-minute 85`);
    expect(windows(tried)).to.deep.equal([
      `key:${ids.radio} 85 a minute: 0, 90`,
      `key:${ids.radio} 80 a day: 10, 90`,
    ]);
  });

  it('replays a key in a trial in the form that it tries', async () => {
    await world.done('organizations set trying --name', 'Trying');
    const text = await world.done(
      `keys issue --organization trying --form variant --scopes ${readScopes} --partner Trying`,
    );
    const id = keyIdIn(text.trim()) ?? 'no key';
    await store(id, { 0: [25, 0] }, 'trying');
    await world.done(`keys pin ${id} --form current --for 30m --reason trial`);
    const tried = [
      'organization:trying 20 a minute: 5, 25',
      'organization:trying 1000 a day: 0, 25',
    ];
    expect(windows(await replayed('quota replay trying --per-minute 20'))).to.deep.equal(tried);
    expect(windows(await replayed(`quota replay ${id}`))).to.deep.equal([
      `key:${id} 10 a minute: 15, 25`,
      `key:${id} 1000 a day: 0, 25`,
    ]);
  });
});
