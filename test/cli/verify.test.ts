import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
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
  const collections = ['api_keys', 'organizations', 'key_log'] as const;

  /** Reads the collections as a backup does, and returns what restores them. */
  const backUp = async () => {
    const saved = await Promise.all(
      collections.map(
        async (name) => [name, await world.collection(name).find().toArray()] as const,
      ),
    );
    return async (): Promise<void> => {
      for (const [name, documents] of saved) {
        await world.collection(name).deleteMany({});
        await world.collection(name).insertMany(documents);
      }
    };
  };

  it('names what is not as the log has it, and makes it so', async () => {
    const because = ['--yes', '--reason', "in a partner's repository"];
    for (const id of ['acme', 'beta', 'late', 'quiet'])
      await world.done(`organizations set ${id} --name`, `${id} Music`);
    await world.done('organizations suspend late', ...because);
    const [kept, leaked, rotated, scoped, pinned, trying] = [
      await world.issue('current', '--expires', '30d'),
      await world.issue('current'),
      await world.issue('variant', '--expires', '30d'),
      await world.issue('current', '--allow-envelope-override'),
      await world.issue('variant'),
      await world.issue('current'),
    ];
    await world.done(`keys pin ${trying.id} --form variant --for 7d`, ...because.slice(1));
    const restore = await backUp();
    const scopes = 'artists:read,signings:read';
    await world.done('organizations resume late', ...because.slice(1));
    await world.done('organizations suspend beta', ...because);
    await world.done('organizations set acme --per-minute 5 --per-day 0', ...because);
    await world.done('keys revoke', leaked.id, ...because);
    await world.done('keys rotate', rotated.id, '--overlap', '7d');
    await world.done(`keys set ${scoped.id} --scopes ${scopes} --no-allow-envelope-override`);
    await world.done(`keys set ${pinned.id} --per-hour 7`);
    await world.done(`keys pin ${pinned.id} --form current`, ...because.slice(1));
    await world.done(`keys pin ${trying.id} --back`, ...because.slice(1));
    const lost = await world.issue('current');
    const file = join(await cleanup.makeFolder('log'), 'keys-log.json');
    // Some editors save a file with a byte order mark.
    await writeFile(file, `\uFEFF${await world.done('keys log --limit 999999 --json')}`);
    const before = await world.run('keys verify', file);
    expect(before).to.include({ code: 0 });

    await restore();
    await world.collection('organizations').updateOne({ _id: 'quiet' }, { $set: { name: 5 } });
    const { code, stdout, stderr } = await world.run('keys verify', file, '--json');
    expect(code, stderr).to.equal(1);
    const rows: readonly Row[] = JSON.parse(stdout);
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
      [rows.find(({ after }) => after === undefined)?.id ?? '', 'lost in the restore'],
    ]);
    expect(rows.map(({ id }) => id)).to.not.include(kept.id);

    const refused = await world.run('keys verify', file, '--restore');
    expect(refused).to.include({ code: 2 });
    const restored = await world.run('keys verify', file, '--restore', ...because);
    expect(restored.code, restored.stderr).to.equal(1);
    expect(restored.stderr).to.include('9 of 11 are as the log has them.');
    const again = await world.run('keys verify', file, '--json');
    expect(JSON.parse(again.stdout).map(({ found }: Row) => found)).to.deep.equal([
      'lost in the restore',
      'lost in the restore',
    ]);
    const [change] = JSON.parse(await world.done(`keys log --key ${leaked.id} --limit 1 --json`));
    expect(change).to.include({ action: 'keys verify', reason: "in a partner's repository" });
    const shown = JSON.parse(await world.done(`keys show ${leaked.id} --json`));
    expect(shown.state).to.equal('revoked');

    // Suspended after the log was saved: the database's own log has a record of it.
    await world.done('organizations suspend late', ...because);
    const last = await world.run('keys verify', file, '--json');
    expect(last.stdout).to.not.include('late');
  });

  describe('with a log that is not whole', () => {
    const another = useOperatorEnvironment();
    const saveLog = async (...options: string[]) => {
      const { stdout, stderr } = await another.run('keys log', '--json', ...options);
      const file = join(await cleanup.makeFolder('log'), 'keys-log.json');
      await writeFile(file, stdout);
      return { file, stderr };
    };
    const createKeys = async () => {
      await another.done('organizations set acme --name', 'Acme Music');
      return [await another.issue('current'), await another.issue('variant')] as const;
    };

    it('names keys and organizations of the database of whose creation the log has no record', async () => {
      const [old, changed] = await createKeys();
      await another.done('keys set', changed.id, '--partner', 'Acme Television');
      await another.done(`organizations set beta --name Beta`);

      const whole = await saveLog('--limit', '5');
      expect(whole.stderr).to.equal('');
      const compared = await another.run('keys verify', whole.file);
      expect(compared).to.include({
        code: 0,
        stderr: 'Nothing to list.\nAll 4 keys and organizations match the log.\n',
      });

      const cut = await saveLog('--limit', '2');
      expect(cut.stderr).to.equal(
        'These are the newest 2 records. List older ones too with a higher --limit: 999999.\n',
      );
      const { code, stdout, stderr } = await another.run('keys verify', cut.file, '--json');
      expect(code).to.equal(1);
      const rows: readonly Row[] = JSON.parse(stdout);
      const found = 'no record of its creation: the log is cut';
      expect(rows.map((row) => [row.kind, row.id, row.found])).to.have.deep.members([
        ['key', changed.id, found],
        ['key', old.id, found],
        ['organization', 'acme', found],
      ]);
      expect(stderr).to.equal('3 of 4 do not match the log.\n');
    });

    it('refuses one without records', async () => {
      const { file } = await saveLog('--key', 'unknown01');
      const { code, stdout, stderr } = await another.run('keys verify', file);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr).to.equal(
        `${file}: has no records. It must be the output of "artist-gateway keys log --limit 999999 --json".\n`,
      );
    });
  });

  it('refuses a file that is no such log', async () => {
    const file = join(await cleanup.makeFolder('log'), 'other.json');
    await writeFile(file, '{"keys": 1}');
    for (const [path, said] of [
      [file, 'must be the output of "artist-gateway keys log --limit 999999 --json"'],
      [`${file}.gone`, 'no such file'],
      [dirname(file), 'cannot be read (EISDIR)'],
    ] as const) {
      const { code, stderr } = await world.run('keys verify', path);
      expect([code, stderr.includes(said)], stderr).to.deep.equal([2, true]);
    }
  });
});
