import { expect } from 'chai';
import fc from 'fast-check';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { type ComparedForm, comparedForms } from '../../src/crosswalk/forms.ts';
import { type Scope, scopes } from '../../src/domain/caller.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { buildKey, keySourceOf, type TestKey } from '../support/builders.ts';
import { createManualClock } from '../support/clock.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';

/** Every set of scopes; the last has all. */
const subsets = Array.from({ length: 2 ** scopes.length }, (_, bits) =>
  scopes.filter((_scope, index) => bits & (1 << index)),
);

interface ViewerKeys extends Readonly<Record<ComparedForm, TestKey>> {
  readonly scopes: readonly Scope[];
}

/** A key of each form for every set of scopes; each may override its form. */
const viewers: readonly ViewerKeys[] = subsets.map((granted, index) => {
  const keyOf = (form: ComparedForm): TestKey =>
    buildKey({ id: `${form}${index}`, form, scopes: granted, allowEnvelopeOverride: true });
  return { scopes: granted, current: keyOf('current'), variant: keyOf('variant') };
});

/** Requests for the same data in both forms. */
const questions: readonly Readonly<Record<ComparedForm, string>>[] = [
  { current: '/artists?limit=100', variant: '/artists' },
  { current: '/artists?include=history', variant: '/artists?fields=all' },
  { current: '/artists?limit=100', variant: '/artists?fields=basic' },
  { current: '/artists?id=art_7rf1ly', variant: '/artists?id=66a18b869b2e81c0c529552a' },
  { current: '/artists/art_7rf1ly', variant: '/artists?id=66a18b869b2e81c0c529552a' },
  { current: '/artists/art_0dk5mb', variant: '/artists?id=66aa3a05d9d57c08d694cf23' },
  { current: '/artists?limit=7', variant: '/artists?limit=7' },
  { current: '/artists?tier=established', variant: '/artists?tier=established' },
  { current: '/added?days=30', variant: '/artists?new=30' },
  { current: '/spikes?days=7', variant: '/spikes?days=7' },
  { current: '/signings', variant: '/signings' },
  { current: '/health', variant: '/health' },
];

const anyViewer = fc.constantFrom(...viewers);
const anyQuestion = fc.constantFrom(...questions);
const anyForm = fc.constantFrom(...comparedForms);

/** A text as JSON escapes it, without its quotation marks. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

describe('disclosure by scopes', () => {
  let gateway: TestGateway;
  let notes: readonly string[];
  let editorials: readonly string[];

  before(async () => {
    const clock = createManualClock();
    const source = createEmbeddedCatalogue({ folder: fixtureFolder, clock, rebaseToToday: false });
    const artists = (await source.load()).artists.map(({ artist }) => artist);
    notes = artists.flatMap(({ signing }) => signing.note ?? []).map(inJson);
    editorials = artists
      .flatMap(({ editorial }) => [editorial?.scoutingReport ?? [], editorial?.highlights ?? []].flat())
      .map(inJson);
    gateway = await createTestGateway({
      clock,
      source,
      keys: keySourceOf(viewers.flatMap(({ current, variant }) => [current, variant])),
    });
  });
  after(() => gateway.close());

  /** The raw headers and the body of a response. */
  const see = async (key: TestKey, served: ComparedForm, path: string): Promise<string> => {
    const reply = await gateway.send(`/api/v1${path}`, key.text, { headers: { 'X-Envelope': served } });
    expect(reply.headers['x-envelope-served']).to.equal(served);
    return `${reply.rawHeaders.join('\n')}\n${reply.text}`;
  };

  const among = (texts: readonly string[], bytes: string): string[] => texts.filter((text) => bytes.includes(text));

  it('shows every note and editorial to a key with every scope', async () => {
    const everything = viewers.at(-1);
    expect(everything?.scopes).to.deep.equal(scopes);
    if (everything === undefined) return;
    const current = await see(everything.current, 'current', '/artists?limit=100');
    expect(among(notes, current)).to.deep.equal(notes).and.have.length.above(2);
    expect(among(editorials, current)).to.deep.equal(editorials).and.have.length.above(5);
    const variant = await see(everything.variant, 'variant', '/artists');
    expect(among(editorials, variant)).to.have.length.above(2);
  });

  it('shows notes and editorials only to keys with their scope, and internal members to none, in both forms and on every path', () =>
    fc.assert(
      fc.asyncProperty(anyViewer, anyForm, anyForm, anyQuestion, async (pair, pinned, served, question) => {
        const bytes = await see(pair[pinned], served, question[served]);
        const hidden = [
          ...(pair.scopes.includes('signing-notes:read') ? [] : ['"note"', ...notes]),
          ...(pair.scopes.includes('editorial:read') ? [] : ['"editorial"', '"scouting_report"', ...editorials]),
        ];
        expect(among(hidden, bytes)).to.deep.equal([]);
        expect(bytes).not.to.match(/INTERNAL-ONLY/i);
      }),
      { numRuns: 500 },
    ));

  it('depends on the scopes of a key and not on the form it is pinned to', () =>
    fc.assert(
      fc.asyncProperty(anyViewer, anyForm, anyQuestion, async (pair, served, question) => {
        const bodies = await Promise.all(
          comparedForms.map(async (pinned) => {
            const bytes = await see(pair[pinned], served, question[served]);
            return bytes.slice(bytes.lastIndexOf('\n')).replace(/"request_id":"[^"]*"/, '');
          }),
        );
        expect(bodies[0]).to.equal(bodies[1]);
      }),
      { numRuns: 100 },
    ));
});
