import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientKinds, type Outcome, runClient } from '../support/partners/programs.ts';
import {
  openSituation,
  type Situation,
  situationKey,
  situations,
} from '../support/partners/situations.ts';

/** A program that asks the service at an address, with this environment. */
interface Program {
  readonly title: string;
  run(env: Readonly<Record<string, string>>): Promise<Outcome>;
}

const folder = mkdtempSync(join(tmpdir(), 'situations-'));
let copies = 0;

const client = (kind: string, ...parameters: readonly string[]): Program => ({
  title: `${kind === 'py' ? 'artist_api.py' : 'artist-api.mjs'} ${parameters[0]}`,
  run: ({ TRIAL_TIMEOUT: timeout = '5', ...env }) => {
    copies += 1;
    const file = parameters[0] === 'copy' ? [join(folder, `${copies}.db`)] : [];
    const options = ['--wait-factor', '0.0002', '--timeout', timeout];
    return runClient(kind, [...parameters, ...file, ...options], env);
  },
});

const commands = [['list'], ['poll', '--polls', '1']];
const programs: readonly Program[] = [
  ...clientKinds.flatMap((kind) => commands.map((command) => client(kind, ...command))),
  client('py', 'copy'),
];

/** The waits that a program told of, in seconds. */
const waitsIn = (errors: readonly string[]): readonly number[] =>
  errors
    .filter((error) => error.includes(': waiting '))
    .map((line) => Number(/: waiting ([\d.]+) s$/.exec(line)?.[1]));

const expectOutcome = async (situation: Situation, { title, run }: Program): Promise<void> => {
  const server = await openSituation(situation);
  const env = { ARTIST_API_URL: server.url, ARTIST_API_KEY: situationKey };
  const outcome = await run({ ...env, ...situation.env?.(server.url) });
  server.close();
  const { code, stdout, errors } = outcome;
  const why = `${title}: ${code} ${errors.join(' / ')}`;
  expect(code, why).to.equal(situation.isGood ? 0 : 1);
  if (situation.isGood) expect(stdout, why).to.match(/\w/);
  else expect(stdout, why).to.equal('');
  if (situation.says === undefined) expect(errors, why).to.deep.equal([]);
  else expect(errors.at(-1), why).to.match(situation.says);
  if (situation.requests !== undefined)
    expect(server.requests, why).to.have.lengthOf(situation.requests);
  if (situation.lines !== undefined) expect(errors, why).to.have.lengthOf(situation.lines);
  expect(errors.join('\n'), why).to.not.include(situationKey);
  if (situation.silent)
    expect(errors.join('\n').replaceAll('aik_…', ''), why).to.not.match(situation.silent);
  for (const { headers } of server.requests) {
    expect(headers['user-agent'], why).to.match(/^[\w.-]+\/\d+\.\d+\.\d+$/);
    expect(headers.authorization, why).to.equal(`Bearer ${situationKey}`);
  }
  const sum = waitsIn(errors).reduce((seconds, more) => seconds + more, 0);
  expect(sum, why).to.be.at.most(300); // no run waits for more than five minutes together
};

describe('the programs that partners download', () => {
  after(() => rmSync(folder, { recursive: true }));

  for (const situation of situations)
    it(`end well or say why not in a line, without the key: ${situation.name}`, async () => {
      await Promise.all(programs.map((program) => expectOutcome(situation, program)));
    });
});
