import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { openTerminal, type Terminal } from '../support/cli/terminal.ts';
import { until } from '../support/wait.ts';

describe('in a terminal', () => {
  const operator = useOperatorEnvironment();
  const input = useInputFolder();

  before(async () => {
    await input.write('artists', artistDocuments(3));
    await input.write('history', seriesDocuments(3));
    await operator.done('catalogue import', input.path);
  });

  const terminals = useCleanup(afterEach);
  const open = async (args: readonly string[], columns: number): Promise<Terminal> =>
    terminals.add(await openTerminal(operator.settings, args, { columns }), ({ close }) => close());

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
    await until('it asks', async () => (await terminal.unwrapped()).includes('[y/N]'));
    expect(await terminal.unwrapped()).to.match(
      /^Remove 1 artist and 2 series that the input no longer has\? \[y\/N\]$/,
    );
    await terminal.type('Enter');
    expect(await terminal.ended()).to.match(/Nothing was changed\.$/);
  });
});
