import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { keyIdIn } from '../../src/keys/key-format.ts';
import { useCleanup } from '../support/cleanup.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';

interface Row {
  readonly kind: string;
  readonly id: string;
  readonly found: string;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

describe('keys verify, after a restore', () => {
  const cleanup = useCleanup(after);
  const world = useOperatorEnvironment();
  beforeEach(() => world.clear());
  const because = ['--yes', '--reason', "in a partner's repository"];

  /** Reads the collections as a backup does, and returns what restores them. */
  const backUp = async () => {
    const names = ['api_keys', 'organizations', 'key_log'];
    const saved = names.map(async (name) => ({
      name,
      documents: await world.collection(name).find().toArray(),
    }));
    const all = await Promise.all(saved);
    return async (): Promise<void> => {
      for (const { name, documents } of all) {
        await world.collection(name).deleteMany({});
        await world.collection(name).insertMany(documents);
      }
    };
  };
  const write = async (text: string): Promise<string> => {
    const file = join(await cleanup.makeFolder('log'), 'keys-log.json');
    await writeFile(file, text);
    return file;
  };
  const verify = async (file: string, ...options: string[]) => {
    const { code, stdout, stderr } = await world.run('keys verify', file, '--json', ...options);
    return { code, stderr, rows: JSON.parse(stdout || '[]') as readonly Row[] };
  };

  it('lists what differs from the log, and restores it', async () => {
    for (const id of ['acme', 'beta', 'late', 'quiet'])
      await world.done(`organizations set ${id} --name ${id}`);
    await world.done('organizations suspend late', ...because);
    const kept = await world.issue('current', '--expires', '30d');
    const leaked = await world.issue('current');
    const rotated = await world.issue('variant', '--expires', '30d');
    const scoped = await world.issue('current', '--allow-envelope-override');
    const pinned = await world.issue('variant');
    const trying = await world.issue('current');
    await world.done(`keys pin ${trying.id} --form variant --for 7d --reason r`);
    const restore = await backUp();
    await world.done('organizations resume late');
    await world.done('organizations suspend beta', ...because);
    await world.done('organizations set acme --per-minute 5 --per-day 0', ...because);
    await world.done('keys revoke', leaked.id, ...because);
    const made = await world.done(`keys rotate ${rotated.id} --overlap 7d`);
    const scopes = '--scopes artists:read,signings:read --no-allow-envelope-override';
    await world.done(`keys set ${scoped.id} ${scopes}`);
    await world.done(`keys set ${pinned.id} --per-hour 7`);
    await world.done(`keys pin ${pinned.id} --form current --reason r`);
    await world.done(`keys pin ${trying.id} --back --reason r`);
    const lost = await world.issue('current');
    // Some editors save a file with a byte order mark.
    const file = await write(`\uFEFF${await world.done('keys log --limit 999999 --json')}`);
    expect(await verify(file)).to.include({ code: 0 });

    await restore();
    await world.collection('organizations').updateOne({ _id: 'quiet' }, { $set: { name: 5 } });
    const { code, rows } = await verify(file);
    expect(code).to.equal(1);
    const differing = (row: Row) => Object.keys({ ...row.before, ...row.after }).toSorted();
    expect(rows.map((row) => [row.id, row.found, ...differing(row)])).to.have.deep.members([
      [leaked.id, 'active again', 'revoked_at'],
      ['beta', 'active again', 'suspended_at'],
      ['late', 'other than before', 'suspended_at'],
      ['acme', 'other than before', 'quota'],
      ['quiet', 'other than before', 'name'],
      [rotated.id, 'other than before', 'expires_at', 'replaced_by'],
      [scoped.id, 'other than before', 'allow_envelope_override', 'scopes'],
      [pinned.id, 'other than before', 'form', 'quota'],
      [trying.id, 'other than before', 'trial'],
      [lost.id, 'lost in the restore'],
      [keyIdIn(made.trim()), 'lost in the restore'],
    ]);
    expect(rows.map(({ id }) => id)).to.not.include(kept.id);

    expect(await verify(file, '--restore')).to.include({ code: 2 });
    const restored = await verify(file, '--restore', ...because);
    expect(restored.code, restored.stderr).to.equal(1);
    expect(restored.stderr).to.include('9 of 11 are as the log has them.');
    const again = await verify(file);
    expect(again.rows.map(({ found }) => found).join()).to.equal(
      'lost in the restore,lost in the restore',
    );
    const [change] = JSON.parse(await world.done(`keys log --key ${leaked.id} --limit 1 --json`));
    expect(change).to.include({ action: 'keys verify', reason: because[2] });
    expect(await world.json(`keys show ${leaked.id}`)).to.include({ state: 'revoked' });

    // Suspended after the log was saved: the database's own log has a record of it.
    await world.done('organizations suspend late', ...because);
    expect((await verify(file)).rows).to.have.length(2);
  });

  it('lists keys and organizations whose creation a cut log omits', async () => {
    await world.done('organizations set acme --name Acme');
    const [old, changed] = [await world.issue('current'), await world.issue('variant')];
    await world.done(`keys set ${changed.id} --partner TV`);
    await world.done(`organizations set beta --name Beta`);
    const whole = await world.run('keys log --json --limit 5');
    expect(whole.stderr).to.equal('');
    expect((await verify(await write(whole.stdout))).stderr).to.match(
      /All 4 keys and organizations match the log\.\n$/,
    );
    const cut = await world.run('keys log --json --limit 2');
    expect(cut.stderr).to.match(/^These are the newest 2 records\./);
    const { code, rows, stderr } = await verify(await write(cut.stdout));
    expect([code, stderr]).to.deep.equal([1, '3 of 4 do not match the log.\n']);
    const found = 'no record of its creation: the log is cut';
    expect(rows.map((row) => [row.kind, row.id, row.found])).to.have.deep.members([
      ['key', changed.id, found],
      ['key', old.id, found],
      ['organization', 'acme', found],
    ]);
  });

  it('rejects a file that is not a log', async () => {
    const file = await write('{"keys": 1}');
    for (const [path, said] of [
      [file, 'must be the output of "artist-gateway keys log --limit 999999 --json"'],
      [await write('[]'), 'has no records. It must be the output of'],
      [`${file}.gone`, 'no such file'],
      [dirname(file), 'cannot be read (EISDIR)'],
    ] as const) {
      const { code, stderr } = await verify(path);
      expect([code, stderr.includes(said)], stderr).to.deep.equal([2, true]);
    }
  });
});
