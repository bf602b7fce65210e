import { expect } from 'chai';
import { type ComparisonCase, readCases } from '../../adapters/compare/cases/cases.ts';
import { walkShortlist } from '../../adapters/compare/cases/shortlist.ts';
import { countUnexpected } from '../../adapters/compare/results.ts';
import { runCases } from '../../adapters/compare/run.ts';
import { createResponseCache } from '../../adapters/compare/targets/client.ts';
import { type IdPair, openRunningTarget } from '../../adapters/compare/targets/running-target.ts';
import type { ComparisonTarget } from '../../adapters/compare/targets/target.ts';
import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import type { KeySource } from '../../src/ports.ts';
import { casesFolder } from '../../src/runtime/config.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { buildManyArtists } from '../support/compare/many-artists.ts';
import { createTestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';

const keys = {
  current: buildKey({ id: 'cur', form: 'current', perHour: undefined }),
  variant: buildKey({ id: 'var', form: 'variant', perHour: undefined }),
};

const keySource = (organization: Partial<Organization>, given: Partial<KeyRecord> = {}): KeySource =>
  keySourceOf(
    Object.values(keys).map((key) => ({ ...key, record: { ...key.record, ...given } })),
    organization,
  );

const texts = { current: keys.current.text, variant: keys.variant.text, override: undefined };

/** A gateway, and a comparison with it from outside. Waiting for a quota advances the gateway's clock. */
const openRunning = async (
  options: TestGatewayOptions,
  given: Partial<Parameters<typeof openRunningTarget>[0]> = {},
) => {
  const gateway = await createTestGateway(options);
  const waited: string[] = [];
  const open = await openRunningTarget({
    baseUrl: new URL(`http://127.0.0.1:${gateway.port}`),
    keys: texts,
    pairs: [],
    maxWaitSeconds: 3600,
    spikes: { floor: 1000, thresholdPercent: 20 },
    cases: [],
    requests: { current: 0, variant: 0 },
    async wait(form, seconds) {
      waited.push(form);
      gateway.clock.advance(seconds * 1000);
      await Promise.all([gateway.gateway.keys.refresh(), gateway.gateway.catalogue.refresh()]);
    },
    ...given,
  });
  return { gateway, waited, open };
};

const named = async (...names: readonly string[]): Promise<readonly ComparisonCase[]> =>
  (await readCases(casesFolder)).filter(({ name }) => names.includes(name));

/** Opens a comparison, runs it and closes it. */
const runOn = async <Result>(
  options: TestGatewayOptions,
  given: Partial<Parameters<typeof openRunningTarget>[0]>,
  run: (target: ComparisonTarget) => Promise<Result>,
) => {
  const { gateway, waited, open } = await openRunning(options, given);
  const ran = await run(open.target);
  await Promise.all([open.close(), gateway.close()]);
  return { ran, waited };
};

const defaultQuotas = keySource({ perMinute: undefined, perDay: undefined });

describe('comparison with a running gateway', () => {
  it('finds no difference in the cases that its keys allow, waiting for quotas', async () => {
    const all = await readCases(casesFolder);
    const { ran, waited } = await runOn({ keys: defaultQuotas }, {}, (target) => runCases(all, target));
    expect(countUnexpected(ran)).to.equal(0);
    expect(ran.stopped).to.equal(undefined);
    expect(ran.cases.length).to.be.greaterThan(90);
    expect(waited.length).to.be.within(5, 30);
    expect(ran.skipped.map(({ name }) => name)).to.include.members(['quota-day-spent', 'key-revoked']);
  });

  it('stops when a quota is spent for longer than the maximum wait, and lists the skipped cases', async () => {
    const cases = await named('artists', 'spikes', 'signings');
    const run = (target: ComparisonTarget) => runCases(cases, target);
    const { ran } = await runOn({ keys: keySource({ perDay: 1 }) }, { maxWaitSeconds: 60 }, run);
    expect(ran.cases).to.have.lengthOf(1);
    expect(ran.skipped).to.have.lengthOf(2);
    expect(ran.stopped).to.match(/^The quota of the current form is spent for \d+ seconds/);
  });

  it('rejects with the status and message of a refused key', async () => {
    const revoked = keySource({}, { revokedAt: 0 });
    const [opening] = await Promise.allSettled([openRunning({ keys: revoked })]);
    expect(opening.status === 'rejected' && String(opening.reason)).to.include(
      'GET /api/v1/artists?limit=100 in the current form was answered 401. A valid API key is required',
    );
  });

  it('runs a case with a difference again, because data may change between two answers', async () => {
    const cases = await named('artists-limited');
    const { ran } = await runOn({ keys: keySource({}) }, {}, (target) => {
      let asked = 0;
      const cache = createResponseCache(async (request) => {
        const reply = await target.send(request);
        const isFirst = request.form === 'variant' && asked++ === 0;
        return isFirst ? { ...reply, text: reply.text.replace('"count":2', '"count":3') } : reply;
      });
      return runCases(cases, { ...target, cache });
    });
    expect(ran.cases.map(({ unexpected, attempts }) => [unexpected.length, attempts])).to.deep.equal([[0, 2]]);
  });
});

describe('walkShortlist', () => {
  const artists = buildManyArtists((index) => ({
    tier: index < 220 ? 'watch' : undefined,
    signing: { status: index % 110 === 0 ? 'signed' : undefined, note: undefined },
  }));
  const source = createTestSource({ artists });

  const walk = async (pairs: readonly IdPair[]) =>
    (await runOn({ keys: keySource({}), source }, { pairs }, (target) => walkShortlist(target))).ran;

  it('finds artists by tier and signed, and names those beyond the limit', async () => {
    const { cases, notes } = await walk([]);
    expect(cases.flatMap(({ unexpected }) => unexpected)).to.deep.equal([]);
    expect(notes[0]).to.equal(
      'The whole shortlist: 230 artists, of which 203 were reached by tier and signed, 0 by identifier, 27 not at all.',
    );
    expect(notes[1]).to.include('Artist 202, Artist 203').and.include('and 7 more');
  });

  it('finds artists beyond the limit by identifier where pairs are known', async () => {
    const { cases, notes } = await walk(artists.map(({ id, documentId }) => ({ current: id, variant: documentId })));
    expect(cases.flatMap(({ unexpected }) => unexpected)).to.deep.equal([]);
    expect(notes).to.deep.equal([
      'The whole shortlist: 230 artists, of which 203 were reached by tier and signed, 27 by identifier, 0 not at all.',
    ]);
  });

  it('reports a wrong pair of identifiers', async () => {
    const { cases } = await walk([{ current: 'art_001', variant: 'doc_2' }]);
    const found = cases.flatMap(({ unexpected }) => unexpected.map(({ line }) => line.unexpected));
    expect(found).to.include('The variant form must say "doc_2".');
  });
});
