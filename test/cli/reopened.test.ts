import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { readScopes, useOperatorEnvironment } from '../support/cli/operator-environment.ts';

interface Row {
  readonly kind: string;
  readonly id: string;
  readonly found: string;
  readonly reason?: string;
  readonly command: string;
}

describe('keys reopened, after a restore', () => {
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

  it('names what ended since the backup and is active again, with the command that ends it', async () => {
    await world.done('organizations set acme --name', 'Acme Music');
    await world.done('organizations set beta --name', 'Beta Music');
    await world.done('organizations set late --name', 'Late Payer');
    const yes = ['--yes', '--reason', "in a partner's repository"];
    await world.done('organizations suspend', 'late', ...yes);
    const [kept, leaked, rotated, replaced, expired, changed] = [
      await world.issue('current'),
      await world.issue('current'),
      await world.issue('variant'),
      await world.issue('variant'),
      await world.issue('current', '--expires', '30d'),
      await world.issue('current'),
    ];
    const restore = await backUp();
    await world.done('organizations resume', 'late', '--reason', 'paid');
    await world.done('keys revoke', leaked.id, ...yes);
    const rotate = async (id: string, overlap: string): Promise<string> =>
      JSON.parse(await world.done('keys rotate', id, '--overlap', overlap, '--json')).id;
    const successor = await rotate(rotated.id, '7d');
    await rotate(replaced.id, '1s');
    await world.done('keys set', changed.id, '--partner', 'Acme Television');
    await world.done('organizations suspend', 'beta', ...yes);
    const later = await world.issue('current');
    const file = join(await cleanup.makeFolder('log'), 'keys-log.json');
    // Some editors save a file with a byte order mark.
    await writeFile(file, `\uFEFF${await world.done('keys log', '--limit', '999999', '--json')}`);
    const before = await world.run('keys reopened', file);
    expect(before.code, before.stderr).to.equal(0);
    await sleep(1_000); // the overlap of 1 s is over

    await restore();
    const { code, stdout, stderr } = await world.run('keys reopened', file, '--json');
    expect(code, stderr).to.equal(1);
    const rows: readonly Row[] = JSON.parse(stdout);
    const byId = new Map(rows.map((row) => [row.id, row]));
    expect([...byId.keys()]).to.include.members([leaked.id, rotated.id, 'beta', later.id]);
    expect([...byId.keys()]).to.not.include.members([kept.id]);
    for (const id of [kept.id, expired.id, changed.id, 'acme'])
      expect(byId.has(id)).to.equal(false);
    expect(byId.get(leaked.id)).to.include({
      found: 'active again',
      reason: "in a partner's repository",
    });
    expect(byId.get('beta')).to.include({ kind: 'organization', found: 'active again' });
    expect(byId.get('late')).to.include({ kind: 'organization', found: 'suspended again' });
    for (const { id } of [rotated, replaced])
      expect(byId.get(id)?.found).to.equal('expires later than before');
    const revoke = (id: string) => `artist-gateway keys revoke ${id} --yes --reason `;
    expect(byId.get(rotated.id)?.command).to.match(
      /^from \d{4}-\S+Z on: artist-gateway keys revoke /,
    );
    expect(byId.get(replaced.id)?.command).to.include(revoke(replaced.id));
    expect(rows.at(-1)?.id, 'after its keys').to.equal('late');
    for (const id of [later.id, successor])
      expect(byId.get(id)?.found).to.equal('lost in the restore');

    for (const { id, command } of rows.filter(({ command }) => /^artist.*--reason/.test(command))) {
      expect(command).to.include(id);
      const quoted = /--reason '(.*)'$/.exec(command)?.[1]?.replaceAll("'\\''", "'") ?? '';
      const words = command.replace(/^artist-gateway /, '').replace(/ --reason .*/, '');
      await world.done(words, '--reason', quoted);
    }
    const again = await world.run('keys reopened', file, '--json');
    expect(again.code).to.equal(1);
    expect(JSON.parse(again.stdout).map(({ found }: Row) => found)).to.include(
      'lost in the restore',
    );
    expect(again.stdout).to.not.match(/active again|suspended again/);
    expect(again.stdout.match(/expires later/g)).to.have.length(1);

    // Suspended after the log was saved: it has no record of that.
    await world.done('organizations suspend', 'late', ...yes);
    const last = await world.run('keys reopened', file, '--json');
    expect(last.stdout).to.not.include('suspended again');
  });

  describe('of a backup with other settings', () => {
    const another = useOperatorEnvironment();
    const because = ['--reason', 'contract 15'];

    it('names each setting that is another than in the log, with the command that sets it again, and lost organizations', async () => {
      await another.done('organizations set acme --name Acme');
      await another.done('organizations set quiet --name Quiet');
      const scoped = await another.issue('current', '--allow-envelope-override');
      const variant = await another.issue('variant');
      const pinned = await another.issue('variant');
      const tried = await another.issue('variant');
      const narrow = await another.issue('current', '--scopes', 'artists:read');
      const trying = await another.issue('current');
      const revoked = await another.issue('current');
      const kept = await another.issue('current', '--expires', '30d');
      await another.done(`keys pin ${trying.id} --form variant --for 7d`, ...because);
      const saved = await Promise.all(
        collections.map(
          async (name) => [name, await another.collection(name).find().toArray()] as const,
        ),
      );
      const scopes = 'artists:read,signings:read';
      await another.done(`keys set ${scoped.id} --scopes ${scopes} --no-allow-envelope-override`);
      await another.done(`keys set ${variant.id} --per-hour 7`);
      await another.done(`keys sunset ${variant.id} --on 2099-06-30`, ...because);
      await another.done(`keys set ${pinned.id} --per-hour 7`);
      await another.done(`keys sunset ${pinned.id} --on 2099-06-30`, ...because);
      await another.done(`keys pin ${pinned.id} --form current`, ...because);
      await another.done(`keys pin ${tried.id} --form current --for 7d`, ...because);
      await another.done(`keys set ${narrow.id} --scopes ${readScopes}`);
      await another.done(`keys pin ${narrow.id} --form variant`, ...because);
      await another.done(`keys pin ${trying.id} --back`, ...because);
      await another.done(`keys set ${trying.id} --scopes ${scopes}`);
      await another.done(`keys set ${revoked.id} --scopes ${scopes}`);
      await another.done(`keys revoke ${revoked.id} --yes`, ...because);
      await another.done(`keys set ${kept.id} --partner Other`);
      await another.done('organizations set acme --per-minute 5 --per-day 0 --yes', ...because);
      await another.done('organizations set later --per-day 9 --name', "L'Atelier");
      const { id: gone } = await another.issue('current', '--expires', '1h');
      const file = join(await cleanup.makeFolder('log'), 'keys-log.json');
      const log = JSON.parse(await another.done('keys log', '--limit', '999999', '--json'));
      for (const { key_id, after } of log)
        if (key_id === gone) after.expires_at = '2026-01-01T00:00:00.000Z'; // before the restore
      await another.done('keys revoke', gone, '--yes', ...because);
      await writeFile(file, JSON.stringify(log));
      const before = await another.run('keys reopened', file);
      expect(before.code, before.stderr).to.equal(0);

      for (const [name, documents] of saved) {
        await another.collection(name).deleteMany({});
        await another.collection(name).insertMany(documents);
      }
      await another.collection('organizations').updateOne({ _id: 'quiet' }, { $set: { name: 5 } });
      const { code, stdout, stderr } = await another.run('keys reopened', file, '--json');
      expect(code, stderr).to.equal(1);
      expect(stderr).to.match(/\n10 of 12 do not match the log\.\n$/);
      const rows: readonly Row[] = JSON.parse(stdout);
      expect(rows.map(({ id, found }) => [id, found])).to.have.deep.members([
        [scoped.id, 'other scopes than before'],
        [scoped.id, 'other envelope override than before'],
        [variant.id, 'other quota than before'],
        [variant.id, 'other sunset than before'],
        [pinned.id, 'other form than before'],
        [tried.id, 'other trial than before'],
        [narrow.id, 'other scopes than before'],
        [narrow.id, 'other form than before'],
        [trying.id, 'other trial than before'],
        [trying.id, 'other scopes than before'],
        [revoked.id, 'active again'],
        ['acme', 'other quotas than before'],
        ['later', 'lost in the restore'],
        ['quiet', 'cannot be read'],
      ]);
      expect(rows.find(({ id }) => id === 'later')?.command).to.equal(
        "artist-gateway organizations set later --name 'L'\\''Atelier' --per-day 9",
      );

      await another
        .collection('organizations')
        .updateOne({ _id: 'quiet' }, { $set: { name: 'Quiet' } });
      await another.done('organizations set later --per-day 9 --name', "L'Atelier");
      for (const { command } of rows.filter(({ command }) => command.includes(' --reason '))) {
        const words = command.replace(/^artist-gateway /, '').replace(/ --reason .*/, '');
        await another.done(words, '--reason', 'as before the restore');
      }
      const again = await another.run('keys reopened', file);
      expect(again).to.include({
        code: 0,
        stderr:
          'Nothing to list.\nAll 12 keys and organizations match the log in what was compared: end, form, scopes, envelope override, quotas, sunset and trial.\n',
      });
    });
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
      const compared = await another.run('keys reopened', whole.file);
      expect(compared).to.include({
        code: 0,
        stderr:
          'Nothing to list.\nAll 4 keys and organizations match the log in what was compared: end, form, scopes, envelope override, quotas, sunset and trial.\n',
      });

      const cut = await saveLog('--limit', '2');
      expect(cut.stderr).to.equal(
        'These are the newest 2 records. List older ones too with a higher --limit: 999999.\n',
      );
      const { code, stdout, stderr } = await another.run('keys reopened', cut.file, '--json');
      expect(code).to.equal(1);
      const rows: readonly Row[] = JSON.parse(stdout);
      const found = 'no record of its creation';
      expect(rows.map((row) => [row.kind, row.id, row.found])).to.have.deep.members([
        ['key', changed.id, found],
        ['key', old.id, found],
        ['organization', 'acme', found],
      ]);
      expect(stderr).to.equal(
        'The log has no record of the creation of 3 of 4 keys and organizations: it is cut, or they were not created with a command. A whole log is the output of "artist-gateway keys log --limit 999999 --json".\n3 of 4 do not match the log.\n',
      );
    });

    it('refuses one without records', async () => {
      const { file } = await saveLog('--key', 'unknown01');
      const { code, stdout, stderr } = await another.run('keys reopened', file);
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
      const { code, stderr } = await world.run('keys reopened', path);
      expect([code, stderr.includes(said)], stderr).to.deep.equal([2, true]);
    }
  });
});
