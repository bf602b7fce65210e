import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Outcome, runClient, shareOf } from '../support/partners/programs.ts';
import {
  openSituation,
  type Situation,
  situationKey,
  situations,
} from '../support/partners/situations.ts';

/** The factor of every wait: a second becomes 0.2 ms. */
const factor = 0.0002;

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
    const options = ['--wait-factor', String(factor), '--timeout', timeout];
    return runClient(kind, [...parameters, ...file, ...options], env);
  },
});

const programs: readonly Program[] = [
  client('py', 'shortlist'),
  client('mjs', 'shortlist'),
  client('py', 'poll', '--polls', '1'),
  client('mjs', 'poll', '--polls', '1'),
  client('py', 'copy'),
];

/** A program's standard error and exit code in a situation, by the name of both. */
const cells = new Map<string, Map<string, string>>();

const tell = (situation: string, title: string, { code, errors }: Outcome): void => {
  const line = errors.at(-1)?.replaceAll(/127\.0\.0\.\d:\d+/g, 'HOST') ?? '';
  const more = errors.length > 1 ? `${errors.length} lines, the last: ` : '';
  const row = cells.get(situation) ?? new Map<string, string>();
  cells.set(situation, row.set(title, `${code} ${more}${line}`.trim()));
};

/** The waits that a program told of, in seconds. */
const waitsIn = (errors: readonly string[]): readonly number[] =>
  errors
    .filter((error) => error.includes(': waiting '))
    .map((line) => Number(/: waiting ([\d.]+) s$/.exec(line)?.[1]));

/** The waits that were shorter than the program said, by when its requests arrived. */
const shortWaits = (errors: readonly string[], arrivals: readonly number[]): readonly number[] =>
  waitsIn(errors).filter((seconds, index) => {
    const [from = 0, to = Number.POSITIVE_INFINITY] = arrivals.slice(index);
    return !(to - from >= seconds * 1000 * factor);
  });

/**
 * Runs of a program of which one has to wait as long as it says: where this process notices a
 * request late, the next one looks early.
 */
const maxRuns = 3;

const expectOutcome = async (situation: Situation, program: Program, runs = 1): Promise<void> => {
  const { title, run } = program;
  const server = await openSituation(situation);
  const env = { ARTIST_API_URL: server.url, ARTIST_API_KEY: situationKey };
  const outcome = await run({ ...env, ...situation.env?.(server.url) });
  server.close();
  tell(situation.name, title, outcome);
  const { code, stdout, errors } = outcome;
  const why = `${title}: ${code} ${errors.join(' / ')}`;
  expect(code, why).to.equal(situation.isGood ? 0 : 1);
  if (situation.isGood) expect(stdout, why).to.match(/\w/);
  else expect(stdout, why).to.equal('');
  if (situation.says === undefined) expect(errors, why).to.deep.equal([]);
  else expect(errors.at(-1), why).to.match(situation.says);
  if (situation.requests !== undefined)
    expect(server.arrivals, why).to.have.lengthOf(situation.requests);
  expect(errors.join('\n'), why).to.not.include(situationKey);
  if (situation.silent)
    expect(errors.join('\n').replaceAll('aik_…', ''), why).to.not.match(situation.silent);
  for (const { headers } of server.requests) {
    expect(headers['user-agent'], why).to.match(/^[\w.-]+\/\d+\.\d+\.\d+$/);
    expect(headers.authorization, why).to.equal(`Bearer ${situationKey}`);
  }
  const sum = waitsIn(errors).reduce((seconds, more) => seconds + more, 0);
  expect(sum, why).to.be.at.most(300); // no run waits for more than five minutes together
  const tooShort = shortWaits(errors, server.arrivals);
  if (tooShort.length > 0 && runs < maxRuns) await expectOutcome(situation, program, runs + 1);
  else expect(tooShort, why).to.deep.equal([]);
};

describe('the programs that partners download', () => {
  after(() => {
    rmSync(folder, { recursive: true });
    if (process.env['EXAMPLE_RUNS'] !== 'all') return;
    for (const [situation, row] of cells) {
      console.log(`\n${situation}`);
      for (const [title, cell] of row) console.log(`  ${title.padEnd(26)}${cell}`);
    }
  });

  for (const [turn, situation] of situations.entries())
    it(`end well or say why not in a line, without the key: ${situation.name}`, async () => {
      await Promise.all(
        shareOf(programs, turn).map((program) => expectOutcome(situation, program)),
      );
    });
});
