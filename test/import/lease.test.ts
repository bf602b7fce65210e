import { expect } from 'chai';
import { withImportLease } from '../../tools/import/import-lease.ts';
import { artistDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { rejectionOf, until } from '../support/wait.ts';

const second = 1_000;

describe('the lease of an import', () => {
  const world = useOperatorEnvironment();
  const folder = useInputFolder();
  before(() => folder.write('artists', artistDocuments(2)));
  const leases = () => world.db.collection('leases').find({}).toArray();
  const told: string[] = [];
  const importer = (actor: string) => ({
    actor,
    machineNow: () => Date.now(),
    onWait: (line: string) => told.push(line),
    interruption: new AbortController().signal,
  });
  const [eve, bob] = [importer('eve'), importer('bob')];
  beforeEach(() => told.splice(0));

  it('makes a second import wait, which says who imports; a dry run does not wait', async () => {
    let second: ReturnType<typeof world.run> | undefined;
    await withImportLease(world.database, eve, async () => {
      await world.done('catalogue', 'import', folder.path, '--dry-run');
      second = world.run('catalogue', 'import', folder.path);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(await world.db.collection('artists').countDocuments({})).to.equal(0);
    });
    const { code, stderr } = (await second) ?? {};
    expect(code).to.equal(0);
    expect(stderr).to.match(
      /^Waiting for another import \(eve on .+, process \d+, since .+Z\)\.\nComparing/,
    );
    expect(await world.db.collection('artists').countDocuments({})).to.equal(2);
    expect(await leases()).to.deep.equal([]);
  });

  for (const [what, members] of [
    ['ends in the year 9999', { token: 't', expires_at: new Date('9999-12-31') }],
    ['has a text as its expiry', { token: 7, expires_at: 'soon\u001b' }],
    ['has no expiry', {}],
  ] as const)
    it(`counts as none when it ${what}, which no import stores`, async () => {
      await world.collection('leases').insertOne({ _id: 'import', ...members });
      await world.done('catalogue', 'import', folder.path);
      expect(await leases()).to.deep.equal([]);
    });

  it("ends by the database's clock 30 s after its last renewal, and then belongs to the next", async () => {
    let now = Date.parse('2026-08-22T00:00:00Z');
    const database = { ...world.database, now: async () => now };
    await withImportLease(database, eve, async (dead) => {
      let hasBegun = false;
      const next = withImportLease(database, bob, async () => {
        hasBegun = true;
        expect(await rejectionOf(dead.confirm())).to.match(
          /^Another import began meanwhile \(bob .+ this one stopped\. Run it again later\.$/,
        );
      });
      await until('the next one waits', async () => told.length > 0);
      expect(told.join()).to.match(
        /^Waiting for another import \(eve on .+, since 2026-08-22T00:00:00\.000Z\)\.$/,
      );
      for (const seconds of [29, 1]) {
        expect(hasBegun, `${seconds} s more`).to.equal(false);
        now += seconds * second;
        await new Promise((resolve) => setTimeout(resolve, 1_200));
      }
      await next;
      expect(told).to.have.length(1);
    });
  });

  it('lasts while it is confirmed, also when its clock is ahead', async () => {
    let now = Date.parse('2026-08-22T00:00:00Z');
    const database = { ...world.database, now: async () => now };
    let hasBegun = false;
    let next: Promise<void> | undefined;
    await withImportLease(database, eve, async (lease) => {
      const behind = { ...world.database, now: async () => now - 30 * second };
      next = withImportLease(behind, bob, async () => {
        hasBegun = true;
      });
      for (let times = 0; times < 3; times++) {
        now += 20 * second;
        await lease.confirm();
        await new Promise((resolve) => setTimeout(resolve, 600));
        expect(hasBegun).to.equal(false);
      }
    });
    await next;
    expect(hasBegun).to.equal(true);
  });
});
