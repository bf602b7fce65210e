import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import {
  expectRefusal,
  expectUsageError,
  useOperatorEnvironment,
} from '../support/cli/operator-environment.ts';
import { openTerminal, type Terminal } from '../support/cli/terminal.ts';
import { until } from '../support/wait.ts';

describe('a command that turns a customer away', () => {
  const operator = useOperatorEnvironment();
  let keyId = '';

  const stored = async () => [
    await operator.collection('organizations').findOne({ _id: 'acme' }),
    await operator.collection('api_keys').findOne({ _id: keyId }),
  ];
  const lastReason = async () => {
    const [entry] = await operator
      .collection('key_log')
      .find({})
      .sort({ at: -1 })
      .limit(1)
      .toArray();
    return entry?.['reason'];
  };
  const harmful = () =>
    [
      ['organizations suspend acme', /^Suspend organization acme \(Acme Music\)\? /],
      [
        'organizations set acme --per-minute 0',
        /^Set a quota of organization acme \(Acme Music\) to 0\? /,
      ],
      [
        'organizations set acme --per-day 0',
        /^Set a quota of organization acme \(Acme Music\) to 0\? /,
      ],
      [
        `keys set ${keyId} --per-hour 0`,
        /^Set the quota of key \w+ of acme \(Acme Radio\) to 0\? /,
      ],
      [`keys revoke ${keyId}`, /^Revoke key \w+ of acme \(Acme Radio\)\? This cannot be undone\./],
    ] as const;

  beforeEach(async () => {
    for (const name of ['organizations', 'api_keys', 'key_log'])
      await operator.collection(name).deleteMany({});
    await operator.done('organizations set acme --name', 'Acme Music');
    ({ id: keyId } = await operator.issue('variant'));
  });

  it('changes nothing without a terminal and --yes, which needs a reason, and says what it would have done', async () => {
    const before = await stored();
    for (const [words, question] of harmful()) {
      const refused = await operator.run(`${words} --reason unpaid`);
      expectRefusal(refused, /Not a terminal: nothing was changed\. Re-run with --yes\.$/);
      expect(refused.stderr).to.match(question);
      for (const without of [words, `${words} --yes`])
        expectUsageError(await operator.run(without), /^Give the reason with --reason TEXT/);
    }
    expect(await stored()).to.deep.equal(before);
  });

  it('asks about a quota of 0 only where it was not 0', async () => {
    await operator.done('organizations set acme --per-day 5');
    await operator.done('organizations set acme --per-day 0 --yes --reason unpaid');
    await operator.done('organizations set acme --per-day 0');
    await operator.done('organizations set other --name Other --per-day 0');
    await operator.done(`keys set ${keyId} --per-hour 5`);
  });

  const terminals = useCleanup(afterEach);
  const suspendOnTerminal = async (): Promise<Terminal> => {
    const args = ['organizations', 'suspend', 'acme', '--reason', 'unpaid'];
    const opened = await openTerminal(operator.settings, args, { columns: 120 });
    const terminal = terminals.add(opened, ({ close }) => close());
    await until('it asks', async () => (await terminal.unwrapped()).includes('[y/N]'));
    return terminal;
  };

  it('asks on a terminal, and changes nothing if the answer is no', async () => {
    const before = await stored();
    const refused = await suspendOnTerminal();
    await refused.type('n\n');
    expect(await refused.ended()).to.match(/Nothing was changed\.$/);
    expect(await stored()).to.deep.equal(before);
    const terminal = await suspendOnTerminal();
    await terminal.type('y\n');
    expect(await terminal.ended()).to.include('Organization acme is suspended');
    expect(await lastReason()).to.equal('unpaid');
  });
});
