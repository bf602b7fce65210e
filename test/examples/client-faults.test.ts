import { expect } from 'chai';
import { type ComparedForm, comparedForms } from '../../src/crosswalk/forms.ts';
import { type FaultyServer, faults, openFaultyServer } from '../support/examples/faulty-server.ts';
import { clientFile, clientKinds, type Outcome, runProgramFile, shareOf } from '../support/examples/programs.ts';
import { readExchange } from '../support/exchanges.ts';
import { freePort } from '../support/ports.ts';

const runs = comparedForms.flatMap((form) => clientKinds.map((kind) => [form, kind] as const));

/** The factor of every wait: a second becomes 10 ms. */
const factor = 0.01;

/** The answer to the first request of `shortlist`. The clients ask again and again for what has failed, and end after it. */
const answers: Readonly<Record<ComparedForm, string>> = {
  current: JSON.stringify(readExchange('current', 'artists').body),
  variant: JSON.stringify(readExchange('variant', 'artists').body),
};

const names = Object.keys(faults) as (keyof typeof faults)[]; // the keys of a literal

const waitingLine = /^(429|50\d|No answer from http:\/\/127.*): waiting (\d+(?:\.\d)?) s$/;

/** The seconds that a client says it waits, one for each line. */
const waitsIn = (errors: readonly string[]): readonly number[] =>
  errors.map((line) => Number(waitingLine.exec(line)?.[2]));

const run = (form: ComparedForm, kind: string, url: string): Promise<Outcome> =>
  runProgramFile(
    clientFile(form, kind),
    ['shortlist', '--wait-factor', String(factor), '--timeout', '1', '--base-url', url],
    { env: { ARTIST_API_KEY: 'aik_x' } },
  );

/** Asserts that each wait is that of `Retry-After`, or doubles and is random within its half; and that it was waited for. */
const expectWaits = (
  waits: readonly number[],
  { arrivals }: FaultyServer,
  hasRetryAfter: boolean,
  why: string,
): void => {
  for (const [index, seconds] of waits.entries()) {
    const longest = 2 ** (index + 1);
    if (hasRetryAfter) expect(seconds, why).to.equal(7);
    else expect(seconds, why).to.be.within(longest / 2, longest);
    const [at = 0, next = 0] = arrivals.slice(index);
    expect(next - at, why).to.be.at.least(seconds * 1000 * factor);
  }
};

/** Runs the clients whose turn it is at once, each against a server of its own. */
const runShare = (
  fault: keyof typeof faults,
  turn: number,
  times: number,
  check: (outcome: Outcome, server: FaultyServer, why: string) => void,
): Promise<unknown> =>
  Promise.all(
    shareOf(runs, turn).map(async ([form, kind]) => {
      const server = await openFaultyServer(fault, times, answers[form]);
      const outcome = await run(form, kind, server.url);
      server.close();
      check(outcome, server, `${form}.${kind}: ${outcome.errors.join(' / ')}`);
    }),
  );

const { data: artists } = readExchange('current', 'artists').body as { readonly data: readonly unknown[] }; // by its contract

describe('example clients, when something goes wrong', () => {
  /** The fourth waits without `Retry-After`. */
  const lastWaits = new Set<number>();

  for (const [turn, fault] of names.entries()) {
    const hasRetryAfter = fault === '429' || fault === '503';

    it(`wait and ask again after ${fault}, four times`, async () => {
      await runShare(fault, turn, 4, ({ code, stdout, errors }, server, why) => {
        expect(code, why).to.equal(0);
        expect(stdout.split('\n').slice(0, -1), why).to.have.lengthOf(artists.length);
        expect(server.arrivals, why).to.have.lengthOf(5);
        for (const line of errors) expect(line, why).to.match(waitingLine);
        expect(errors, why).to.have.lengthOf(4);
        const waits = waitsIn(errors);
        expectWaits(waits, server, hasRetryAfter, why);
        if (!hasRetryAfter) lastWaits.add(waits[3] ?? 0);
      });
    }).timeout(60_000);

    it(`give up after five times of ${fault}, with one line and exit code 1`, async () => {
      await runShare(fault, turn + 4, 9, ({ code, stdout, errors }, server, why) => {
        expect([code, stdout], why).to.deep.equal([1, '']);
        expect(server.arrivals, why).to.have.lengthOf(5);
        expect(errors.at(-1), why).to.match(/^Gave up after 5 attempts\. (429|50\d|No answer from http:\/\/127)/);
        for (const line of errors.slice(0, -1)) expect(line, why).to.match(waitingLine);
        expect(errors, why).to.have.lengthOf(5);
      });
    }).timeout(60_000);
  }

  it('give up, with one line and exit code 1, where nobody listens', async () => {
    const port = await freePort();
    await Promise.all(
      runs.map(async ([form, kind]) => {
        const { code, stdout, errors } = await run(form, kind, `http://127.0.0.1:${port}`);
        const why = `${form}.${kind}: ${errors.join(' / ')}`;
        expect([code, stdout, errors.length], why).to.deep.equal([1, '', 5]);
        expect(errors.at(-1), why).to.match(/^Gave up after 5 attempts\. No answer from http:\/\/127/);
      }),
    );
  }).timeout(60_000);

  it('wait random times, so that clients do not come back together', () => {
    expect(lastWaits.size).to.be.at.least(2);
  });
});
