import { expect } from 'chai';
import { withImportLease } from '../../adapters/import/import-lease.ts';
import { artistDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { expectRefusal, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { rejectionOf } from '../support/wait.ts';

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
    onTakeOver: (line: string) => told.push(line),
  });
  const eve = importer('eve');
  beforeEach(() => told.splice(0));

  it('refuses a second import and says who imports; a dry run is allowed', async () => {
    await withImportLease(world.database, eve, async () => {
      const refused = await world.run('catalogue', 'import', folder.path);
      expectRefusal(
        refused,
        /^Another import is running \(eve on .+, process \d+, since .+Z\): .+ if it has died, its lock is free in \d+ s\.$/,
      );
      expect(await world.db.collection('artists').countDocuments({})).to.equal(0);
      await world.done('catalogue', 'import', folder.path, '--dry-run');
    });
    await world.done('catalogue', 'import', folder.path);
    expect(await leases()).to.deep.equal([]);
  });

  for (const [what, members, until] of [
    ['ends in the year 9999', { token: 't', expires_at: new Date('9999-12-31') }, '9999-12-31T00:00:00.000Z'],
    ['has a text as its expiry', { token: 7, expires_at: 'soon\u001b' }, 'soon\\u001b'],
  ] as const)
    it(`is refused when it ${what}, with what to do, and taken with --take-over`, async () => {
      await world.collection('leases').insertOne({ _id: 'import', ...members });
      const { code, stderr } = await world.run('catalogue', 'import', folder.path);
      expect(code).to.equal(1);
      expect(stderr).to.equal(
        `The lock of imports was not stored by an import (expires_at is ${until}): nothing was written. When no import runs, run it again with --take-over.\n`,
      );
      await world.done('catalogue', 'import', folder.path, '--take-over');
      expect(await leases()).to.deep.equal([]);
    });

  it('is taken from an import that runs with --take-over, which then stops', async () => {
    await withImportLease(world.database, eve, async (lease) => {
      const taken = withImportLease(world.database, { ...eve, actor: 'bob', takeOver: true }, async () => {
        expect(await rejectionOf(lease.confirm())).to.match(/^Another import began meanwhile \(bob /);
      });
      await taken;
    });
  });

  it("ends by the database's clock when its process has died, and then belongs to the next", async () => {
    let now = Date.parse('2026-08-22T00:00:00Z');
    const database = { ...world.database, now: async () => now };
    const bob = importer('bob');
    await withImportLease(database, eve, async (dead) => {
      now += 10 * second;
      const early = rejectionOf(withImportLease(database, bob, async () => {}));
      expect(await early).to.match(/^Another import is running \(eve .+ its lock is free in 20 s\.$/);
      now += 25 * second;
      await withImportLease(database, bob, async () => {
        expect(told.join()).to.match(
          /^Took over the lock of another import \(eve on .+\): nobody renewed it for 35 s\.$/,
        );
        const lost = await rejectionOf(dead.confirm());
        expect(lost).to.match(/^Another import began meanwhile \(bob .+ this one stopped\. Run it again later\.$/);
      });
    });
  });

  it('lasts while it is confirmed', async () => {
    let now = Date.parse('2026-08-22T00:00:00Z');
    const database = { ...world.database, now: async () => now };
    await withImportLease(database, eve, async (lease) => {
      for (let times = 0; times < 3; times++) {
        now += 20 * second;
        await lease.confirm();
      }
      expect(await rejectionOf(withImportLease(database, eve, async () => {}))).to.match(/^Another import is running/);
    });
  });
});
