import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import type { QuotaStore } from '../../src/ports.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { at } from '../../tools/contracts/changes.ts';
import { createManualClock } from '../support/clock.ts';
import { openSandbox, readExchange } from '../support/exchanges.ts';
import { clientKinds, runClient } from '../support/partners/programs.ts';

const demoKeys = z
  .array(
    z.object({
      _id: z.string(),
      form: z.string(),
      demo_key: z.string(),
      allow_envelope_override: z.boolean().optional(),
    }),
  )
  .parse(JSON.parse(readFileSync(join(fixtureFolder, 'api_keys.json'), 'utf8')));

/** The last line with each key that does not end well; the others print artists and end with 0. */
const endings: Readonly<Record<string, RegExp>> = {
  curSpikes: /^403 insufficient_scope: /,
  curRevoke: /^401 unauthorized: /,
  curExpire: /^401 unauthorized: /,
  varRevoke: /^401 unauthorized: /,
  varSuspen: /^401 unauthorized: /,
  curOutage: /^503 service_unavailable: /,
  varOutage: /^500 server_error: /,
  curBroken: /^500 server_error: /,
  varBroken: /^500 server_error: /,
  curCutOff: /^No answer from http/,
  varCutOff: /^No answer from http/,
};

const wrongForm = /^This key is answered in the variant form, .*: see http\S+\/docs\/migration$/;

const recorded = z.array(z.object({ id: z.string() }));
const printed = recorded
  .parse(at(readExchange('current', 'artists').body, 'data'))
  .map(({ id }) => id);

/**
 * Runs the client against a new gateway. A quota that refuses is at its end before the refusal is
 * sent, as the client waits a thousandth of the time.
 */
const runAgainstSandbox = async (kind: string, key: string) => {
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
  const options = ['list', '--page-size', '5', '--wait', '--wait-factor', '0.001'];
  const outcome = await runClient(kind, options, env);
  await gateway.close();
  return outcome;
};

/** Runs the client, and expects all artists, or none and this last line. */
const expectEnding = async (kind: string, key: string, expected: RegExp | undefined) => {
  const { code, lines, errors, why } = await runAgainstSandbox(kind, key);
  const said = errors.filter((line) => !/: waiting [\d.]+ s$/.test(line));
  expect(code, why).to.equal(expected === undefined ? 0 : 1);
  if (expected !== undefined) expect(said.at(-1), why).to.match(expected);
  expect(
    said.filter((line) => !/^(?:X-Key-Expires|Sunset): /.test(line)),
    why,
  ).to.have.lengthOf(expected === undefined ? 0 : 1);
  for (const line of lines) expect(line, why).to.match(/^[^\t]+\t[^\t]+$/);
  const ids = lines.map((line) => line.split('\t')[0]);
  expect(ids, why).to.deep.equal(expected === undefined ? printed : []);
};

describe('the client with each key of the sandbox', () => {
  for (const { _id: id, form, demo_key: text, allow_envelope_override: mayOverride } of demoKeys)
    it(`prints all artists, or ends with one line that says why: ${id}`, async () => {
      const other = form === 'current' || mayOverride === true ? undefined : wrongForm;
      for (const kind of clientKinds) await expectEnding(kind, text, endings[id] ?? other);
    });
});
