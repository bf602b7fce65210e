import { expect } from 'chai';
import { buildKey } from '../support/builders.ts';
import { expectUsageError, useOperatorEnvironment } from '../support/cli/operator-environment.ts';

const { text } = buildKey({ id: 'abc123' });

/** Every command that stores text, with the text of a key in one place. */
const commands: readonly (readonly string[])[] = [
  ['organizations', 'set', text, '--name', 'Acme'],
  ['organizations', 'set', 'acme', '--name', `Acme ${text}`],
  ['organizations', 'set', 'acme', '--name', 'Acme', '--reason', text],
  ['organizations', 'suspend', 'acme', '--reason', text],
  ['organizations', 'resume', 'acme', '--actor', text],
  ['keys', 'issue', '--organization', text, '--form', 'current', '--scopes', 'artists:read', '--partner', 'P'],
  ['keys', 'issue', '--organization', 'acme', '--form', 'current', '--scopes', 'artists:read', '--partner', text],
  ['keys', 'set', 'abc123', '--partner', text],
  ['keys', 'rotate', 'abc123', '--overlap', '1d', '--reason', text],
  ['keys', 'revoke', 'abc123', '--reason', text],
  ['keys', 'pin', 'abc123', '--form', 'current', '--reason', text],
  ['keys', 'sunset', 'abc123', '--off', '--reason', text],
  ['quota', 'reset', 'acme', '--reason', text],
];

describe('texts that commands store and show', function () {
  this.timeout(30_000);
  const world = useOperatorEnvironment();

  it('are refused where they hold the text of a key, which is not repeated', async () => {
    for (const args of commands) {
      const ran = await world.run(...args);
      expectUsageError(ran, /(Name the key|name it) by its id, abc123\. .+: rotate it\.$/);
      expect(ran.stderr).not.to.include(text);
    }
    for (const name of ['organizations', 'api_keys', 'key_log']) {
      expect(await world.collection(name).countDocuments({}), name).to.equal(0);
    }
  });

  it('are shown without the control characters that another program has stored', async () => {
    await world.collection('organizations').insertOne({ _id: 'acme', name: 'A\u001b[2J\u009bB' });
    for (const words of ['organizations list', 'organizations list --json', 'crosswalk ids --organization acme']) {
      const { code, stdout, stderr } = await world.run(words);
      expect(code, stderr).to.equal(0);
      expect(`${stdout}${stderr}`.replaceAll(/[\n\t]/g, ''), words).not.to.match(/\p{Cc}/u);
    }
  });
});
