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
  let [keyId, keyText] = ['', ''];

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
    ({ id: keyId, text: keyText } = await operator.issue('variant'));
  });

  it('changes nothing without a terminal and --yes, which needs a reason, and says what it would have done', async () => {
    const before = await stored();
    for (const [words, question] of harmful()) {
      const refused = await operator.run(`${words} --reason unpaid`);
      expectRefusal(refused, /Not a terminal: nothing was changed\. Re-run with --yes\.$/);
      expect(refused.stderr).to.match(question);
      expectRefusal(await operator.run(words), /Re-run with --yes --reason TEXT\.$/);
      const without = await operator.run(`${words} --yes`);
      expectUsageError(without, /^--yes needs a reason: give --reason TEXT, for the audit log\.$/);
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
    const args = ['organizations', 'suspend', 'acme'];
    const opened = await openTerminal(operator.settings, args, { columns: 120 });
    const terminal = terminals.add(opened, ({ close }) => close());
    await until('it asks', async () => (await terminal.unwrapped()).includes('[y/N]'));
    return terminal;
  };

  const untilAskedForReason = (terminal: Terminal, times = 1): Promise<void> =>
    until(
      'it asks for the reason',
      async () =>
        (await terminal.unwrapped()).split('Reason, for the audit log:').length - 1 === times,
    );

  it('asks on a terminal, and then for the reason', async () => {
    const terminal = await suspendOnTerminal();
    await terminal.type('y\n');
    await untilAskedForReason(terminal);
    await terminal.type('unpaid\n');
    expect(await terminal.ended()).to.include('Organization acme is suspended');
    expect(await lastReason()).to.equal('unpaid');
  });

  it('asks for the reason again, and says why, when it cannot be stored', async () => {
    const terminal = await suspendOnTerminal();
    await terminal.type('y\n');
    for (const [index, [reason, why]] of (
      [
        [`leaked: ${keyText}`, `Never store the text of a key: refer to it by its id, ${keyId}.\n`],
        ['x'.repeat(201), 'It must be 1 to 200 visible characters on one line'],
        ['unpaid \u202e invoice', 'It must be 1 to 200 visible characters on one line'],
      ] as const
    ).entries()) {
      await untilAskedForReason(terminal, index + 1);
      await terminal.type(`${reason}\n`);
      await untilAskedForReason(terminal, index + 2);
      expect(await terminal.unwrapped()).to.include(why);
    }
    await terminal.type('unpaid\n');
    expect(await terminal.ended()).to.include('Organization acme is suspended');
    expect(await lastReason()).to.equal('unpaid');
  });

  it('changes nothing on a terminal when the answer is no, or there is no reason', async () => {
    const before = await stored();
    for (const answer of ['n', 'y']) {
      const terminal = await suspendOnTerminal();
      await terminal.type(`${answer}\n`);
      if (answer === 'y') {
        await untilAskedForReason(terminal);
        await terminal.type('\n');
      }
      expect(await terminal.ended()).to.match(/Nothing was changed\.$/);
    }
    expect(await stored()).to.deep.equal(before);
  });
});
