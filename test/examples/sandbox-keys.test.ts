import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import type { QuotaStore } from '../../src/ports.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { type ComparedForm, comparedForms } from '../../tools/crosswalk/forms.ts';
import { createManualClock } from '../support/clock.ts';
import { at } from '../support/contract.ts';
import { allClients, clientKinds, runClient, shareOf } from '../support/examples/programs.ts';
import { openSandbox, readExchange } from '../support/exchanges.ts';

const demoKeys = z
  .array(z.object({ _id: z.string(), form: z.enum(comparedForms), demo_key: z.string() }))
  .parse(JSON.parse(readFileSync(join(fixtureFolder, 'api_keys.json'), 'utf8')));

/** More than one request each, so that small quotas are spent. */
const parameters: Readonly<Record<ComparedForm, readonly string[]>> = {
  current: ['shortlist', '--page-size', '5'],
  variant: ['poll', '--polls', '2'],
};

/** The last line with each key that does not end well; the others print artists and end with 0. */
const endings: Readonly<Record<string, RegExp>> = {
  curSpikes: /^403 .*insufficient_scope/,
  curRevoke: /^401 .*unauthorized/,
  curExpire: /^401 .*unauthorized/,
  varRevoke: /^401 .*unauthorized/,
  varSuspen: /^401 .*unauthorized/,
  curOutage: /^Gave up after 5 attempts\. 503 .*service_unavailable/,
  varOutage: /^Gave up after 5 attempts\. 500 .*server_error/,
  curBroken: /^Gave up after 5 attempts\. 500 .*server_error/,
  varBroken: /^Gave up after 5 attempts\. 500 .*server_error/,
  curCutOff: /^Gave up after 5 attempts\. No answer from http/,
  varCutOff: /^Gave up after 5 attempts\. No answer from http/,
};

const wrongForm =
  /^This key answers in the (current|variant) form: use http.*\/docs\/clients\/\1\.\w+\.$/;

const recorded = z.array(z.object({ id: z.string(), date_added: z.string().optional() }));

const recordedArtists = (form: ComparedForm) =>
  recorded.parse(at(readExchange(form, 'artists').body, 'data'));

/** The artists that each client prints: all, and those that were added yesterday or today. */
const printed: Readonly<Record<ComparedForm, readonly string[]>> = {
  current: recordedArtists('current').map(({ id }) => id),
  variant: recordedArtists('variant')
    .filter(({ date_added: day = '' }) => day === '2026-08-21' || day === '2026-08-22')
    .map(({ id }) => id),
};

/**
 * Runs a client against a new gateway. A quota that refuses is at its end before the refusal is
 * sent, as the client waits a thousandth of the time.
 */
const runAgainstSandbox = async (form: ComparedForm, kind: string, key: string) => {
  const clock = createManualClock();
  const store = createEmbeddedQuotas(clock);
  const consume: QuotaStore['consume'] = async (allowances, deadline) => {
    const statuses = await store.consume(allowances, deadline);
    const refusal = statuses.find(({ granted }) => !granted);
    if (refusal !== undefined) {
      clock.advance(refusal.msLeft);
      await Promise.all([gateway.gateway.keys.refresh(), gateway.gateway.catalogue.refresh()]);
    }
    return statuses;
  };
  const gateway = await openSandbox({ clock, quotas: { ...store, consume } });
  const env = { ARTIST_API_KEY: key, ARTIST_API_URL: `http://127.0.0.1:${gateway.port}` };
  const outcome = await runClient(
    form,
    kind,
    [...parameters[form], '--wait', '--wait-factor', '0.001'],
    env,
  );
  await gateway.close();
  return outcome;
};

/**
 * Runs a client, and expects artists, or this last line, behind lines about waits where it gave up.
 */
const expectEnding = async (
  form: ComparedForm,
  kind: string,
  key: string,
  expected: RegExp | undefined,
) => {
  const { code, lines, errors, why } = await runAgainstSandbox(form, kind, key);
  const said = [...errors];
  const last = expected === undefined ? '' : (said.pop() ?? '');
  expect(code, why).to.equal(expected === undefined ? 0 : 1);
  expect(last, why).to.match(expected ?? /^$/);
  for (const line of said)
    expect(line, why).to.match(
      /^(\d{3}|No answer from http:.*|The quota of .* until \S+): waiting \d+(\.\d)? s$/,
    );
  if (expected !== undefined)
    expect(said, why).to.have.lengthOf(last.startsWith('Gave up') ? 4 : 0);
  for (const line of lines) expect(line, why).to.match(/^[^\t]+\t[^\t]+$/);
  const ids = lines.map((line) => line.split('\t')[0]);
  expect(ids, why).to.deep.equal(expected === undefined ? printed[form] : []);
};

describe('the example clients with each key of the sandbox', () => {
  for (const [turn, { _id: id, form, demo_key: text }] of demoKeys.entries()) {
    it(`print artists, or end with one line that says why: ${id}`, async () => {
      await Promise.all(
        shareOf(clientKinds, turn).map((kind) => expectEnding(form, kind, text, endings[id])),
      );
    });
  }

  it('end with the address of the client to use when the key is of the other form', async () => {
    const keyOf = (form: ComparedForm) => demoKeys.find((key) => key.form !== form)?.demo_key ?? '';
    await Promise.all(
      allClients.map(([form, kind]) => expectEnding(form, kind, keyOf(form), wrongForm)),
    );
  });
});
