import { expect } from 'chai';
import { notDerived } from '../../examples/moving/moving.ts';
import { crosswalk, type MemberTable } from '../../src/crosswalk/crosswalk.ts';
import type { Json } from '../../src/crosswalk/json.ts';
import type { ComparisonFacts, MemberRow } from '../../src/crosswalk/rows.ts';
import { useStarted } from '../support/cleanup.ts';
import { expandPath, expectedOf, firstAt, sampleOf } from '../support/examples/crosswalk-samples.ts';
import { movers } from '../support/examples/moving.ts';
import { createStubGateway } from '../support/examples/moving-gateways.ts';

const given = { documentIds: { id: 'the document' }, labelsTracked: ['a label'], partner: 'the partner' };

const facts: ComparisonFacts = {
  conditions: new Set(),
  hasScope: { current: () => true, variant: () => true },
  documentIdOf: (id) => (id === 'id' ? 'the document' : undefined),
  partner: given.partner,
};

/** The lists of the variant form, and the table of what is in each. */
const lists: Readonly<Record<string, MemberTable>> = {
  '/artists': 'artist',
  '/spikes': 'spike',
  '/signings': 'signing',
};

/** An answer of the current form with every member of the crosswalk: one item of a table, and all that may be around it. */
const answerWith = (table: MemberTable) => {
  const around = sampleOf('envelope');
  const instant = '2026-08-22T12:00:00.000Z';
  const meta = { ...(firstAt(around, 'meta') as object), count: 1, next_cursor: null, generated_at: instant }; // an object by its rows
  return { data: [sampleOf(table)], meta } as Json;
};

for (const [language, open] of Object.entries(movers)) {
  describe(`the members of the variant form made from the current form (${language})`, () => {
    const mover = useStarted(open, ({ close }) => close());
    const stub = useStarted(createStubGateway, async ({ close }) => close());

    const ask = async (path: string, reply: Json, status = 200, more: object = {}): Promise<Json> => {
      stub.answerWith({ status, body: reply });
      const asked = { ...given, ...more, host: stub.host, key: 'x', target: `/api/v1${path}` };
      return JSON.parse((await mover.ask(asked)).text);
    };

    /** Expects every member that a table gives the variant form; `_meta.labels_tracked[]` is what was given. */
    const expectRows = (table: MemberTable, rows: readonly MemberRow[], from: Json, answer: Json | undefined): void => {
      for (const row of rows) {
        if (row.variant === undefined || row.variant === 'data[]') continue;
        for (const path of expandPath(row.variant, row)) {
          const expected = expectedOf(row, path, from, facts) ?? given.labelsTracked[0];
          expect(firstAt(answer, path), `crosswalk.members.${table}: ${path}`).to.deep.equal(expected);
        }
      }
    };

    for (const [path, table] of Object.entries(lists)) {
      it(`are every ${table} member of the crosswalk, and every one around it`, async () => {
        const reply = answerWith(table);
        const answer = await ask(path, reply);
        expectRows(table, crosswalk.members[table], firstAt(reply, 'data[]') ?? {}, firstAt(answer, 'data[]'));
        const around = crosswalk.members.envelope.filter(({ onlyPath }) => onlyPath === undefined || onlyPath === path);
        expectRows('envelope', around, { ...(reply as object), meta: firstAt(reply, 'meta') ?? {} }, answer);
      });
    }

    it('are every member of an error in the crosswalk', async () => {
      const reply: Json = { error: { code: 'not_found', message: 'Why.', request_id: 'x' } };
      expectRows('error', crosswalk.members.error, reply, await ask('/artists', reply, 404));
    });

    it('differ only where the list of what is not derived says so, when all that is given differs', async () => {
      const others = { documentIds: {}, labelsTracked: ['another label'], partner: 'another partner' };
      const differing = new Set<string>();
      for (const [path, table] of Object.entries(lists)) {
        const reply = answerWith(table);
        const answers = [await ask(path, reply), await ask(path, later(reply), 200, others)] as const;
        for (const row of [...crosswalk.members[table].map(inData), ...crosswalk.members.envelope]) {
          if (row === undefined || row.variant === undefined || row.variant === 'data[]') continue;
          const [one, other] = answers.map((answer) => firstAt(answer, row.variant ?? ''));
          if (JSON.stringify(one) !== JSON.stringify(other)) differing.add(row.variant);
        }
      }
      expect([...differing, 'message']).to.have.members([...notDerived]);
    });
  });
}

/** The row of an item's member as one of the whole answer. */
const inData = (row: MemberRow): { readonly variant: string } | undefined =>
  row.variant === undefined ? undefined : { variant: `data[].${row.variant}` };

/** The same answer, a day later. */
const later = (reply: Json): Json => JSON.parse(JSON.stringify(reply).replace('2026-08-22T', '2026-08-23T'));
