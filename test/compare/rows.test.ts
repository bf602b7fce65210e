import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { fixtureFolder } from '../../src/runtime/folders.ts';
import { applyBaseline, createBaseline } from '../../tools/compare/baseline.ts';
import type { ComparisonCase } from '../../tools/compare/cases/cases.ts';
import {
  type ComparisonRequest,
  type ReceivedResponse,
  requestIdentity,
} from '../../tools/compare/cases/send-request.ts';
import { causesOf } from '../../tools/compare/causes.ts';
import { headerRowId, memberRowId, problemRowId } from '../../tools/compare/checks/row-ids.ts';
import type { CasesRun } from '../../tools/compare/results.ts';
import { runCases } from '../../tools/compare/run.ts';
import { openEmbeddedTarget } from '../../tools/compare/targets/embedded-target.ts';
import type { ComparisonTarget } from '../../tools/compare/targets/target.ts';
import { createReport } from '../../tools/compare/verdict.ts';
import { type ComparedForm, comparedForms } from '../../tools/migration/mapping/forms.ts';
import { type MemberTable, mapping } from '../../tools/migration/mapping/mapping.ts';
import { buildRun } from '../support/compare/build-run.ts';
import { readNamed, spikes } from '../support/compare/open-target.ts';
import { changeAt, gone, partsOf, withBody } from '../support/compare/slips.ts';
import { queryParametersOf } from '../support/contract.ts';

/**
 * Every row of the mapping is watched: if a form leaves a member out, sends another value, or shows
 * what the key or the request hides, the comparison names its row. The answers of all cases are
 * recorded once and changed in memory.
 */

/** A day tries two cases with each hidden field; a release, with `EXAMPLE_RUNS=all`, all. */
const runsAll = process.env['EXAMPLE_RUNS'] === 'all';

const now = Date.parse('2026-08-22T12:00:00Z');

/** Another value of the same type, which its schema accepts. */
const other = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'string') return value;
  const day = /^\d{4}-\d\d-\d\d/.exec(value)?.[0];
  return day === undefined ? `${value}x` : value.replace(day, '2001-02-03');
};

/** The first value at a path, and a value with that one where it has none. */
const valueIn = (value: unknown, parts: readonly string[]): unknown => {
  let found: unknown;
  changeAt(value, parts, (one) => {
    found ??= one;
  });
  return found;
};
const putAt = (value: unknown, [name, ...rest]: readonly string[], shown: unknown): unknown => {
  if (name === undefined) return value ?? shown;
  if (name === '[]') {
    const items: readonly unknown[] = Array.isArray(value) ? value : [{}];
    return items.map((item) => putAt(item, rest, shown));
  }
  const held = Object(value);
  return { ...held, [name]: putAt(held[name], rest, shown) };
};

/** Where the members of a table are in a body: one item, or a list of them. */
const places: Readonly<Record<MemberTable, readonly string[]>> = {
  artist: ['data.', 'data[].'],
  spike: ['data[].'],
  signing: ['data[].'],
  envelope: [''],
  health: [''],
  error: [''],
};
const listsOf: Readonly<Partial<Record<MemberTable, string>>> = {
  artist: 'artists',
  spike: 'spikes',
  signing: 'signings',
};

/** Cases that are tried with a slip, which needs at most five to show. */
const maxCases = 6;

/** A change to the replies of one form, and the row that it violates. */
interface Slip {
  readonly row: string;
  readonly form: ComparedForm;
  readonly what: string;
  readonly reply: (reply: ReceivedResponse, items: string) => ReceivedResponse;
}

const memberRows = Object.entries(mapping.members).flatMap(([name, rows]) => {
  const table = name as MemberTable; // the names of that object
  return rows.flatMap((row) =>
    comparedForms.flatMap((form) => {
      const path = row[form];
      if (path === undefined || /^data(\[\])?$/.test(path)) return [];
      const paths = places[table].map((place) => partsOf(place + path));
      return [{ table, row, form, paths, id: memberRowId(table, row) }];
    }),
  );
});

const slips: readonly Slip[] = [
  ...memberRows.flatMap(({ table, form, paths, id }) =>
    [gone, other].map(
      (change): Slip => ({
        ...{ row: id, form, what: change.name },
        reply: (reply, items) =>
          listsOf[table] !== undefined && listsOf[table] !== items
            ? reply
            : withBody(reply, (body) =>
                paths.reduce<unknown>((whole, path) => changeAt(whole, path, change), body),
              ),
      }),
    ),
  ),
  ...mapping.headers.flatMap((row) =>
    comparedForms.flatMap((form) =>
      [gone, other].map(
        (change): Slip => ({
          ...{ row: headerRowId(row), form, what: change.name },
          reply(reply) {
            const { [row.name.toLowerCase()]: value, ...headers } = reply.headers;
            if (value === undefined) return reply;
            const changed = change(value);
            return {
              ...reply,
              headers:
                typeof changed === 'string'
                  ? { ...headers, [row.name.toLowerCase()]: changed }
                  : headers,
            };
          },
        }),
      ),
    ),
  ),
  ...mapping.problems.flatMap((row) =>
    comparedForms.map(
      (form): Slip => ({
        ...{ row: problemRowId(row), form, what: 'status' },
        reply: (reply) => (reply.status < 400 ? reply : { ...reply, status: 418 }),
      }),
    ),
  ),
];

describe('a row of the mapping', () => {
  let target: ComparisonTarget;
  let cases: readonly ComparisonCase[];
  /** The cases with a statement about each row. */
  const casesOf = new Map<string, string[]>();
  const known = new Map<string, ReceivedResponse>();
  /** What each case asked, and was answered. */
  const exchanges = new Map<string, { request: ComparisonRequest; right: ReceivedResponse }[]>();
  const send = async (request: ComparisonRequest): Promise<ReceivedResponse> => {
    const identity = requestIdentity(request);
    const reply = known.get(identity) ?? (await target.send(request));
    known.set(identity, reply);
    return reply;
  };

  before(async () => {
    target = await openEmbeddedTarget({ folder: fixtureFolder, now, spikes });
    // Cases that are repeated for many artists, or compare no items, come last.
    const all = await readNamed();
    const rank = ({ each = 1, items }: ComparisonCase) => each + (items === 'nothing' ? 100 : 0);
    cases = all.toSorted((left, right) => rank(left) - rank(right));
    let name = '';
    const noting = async (request: ComparisonRequest) => {
      const right = await send(request);
      exchanges.set(name, [...(exchanges.get(name) ?? []), { request, right }]);
      return right;
    };
    const { cases: results } = await runCases(cases, { ...target, send: noting }, (one) => {
      name = one.name;
    });
    expect(causesOf(results)).to.deep.equal([]);
    for (const { name, rows } of results)
      for (const row of rows) casesOf.set(row, [...(casesOf.get(row) ?? []), name]);
  });
  after(() => target.close());

  const rowsOf = (ran: CasesRun) =>
    causesOf(ran.cases).flatMap(({ row, consequences }) => [
      row,
      ...consequences.map((one) => one.row),
    ]);
  /** Runs the cases of a row with a slip until one shows it; `undefined` where none has its value. */
  const ranWith = new Map<Slip, CasesRun | undefined>();
  const run = async (slip: Slip): Promise<CasesRun | undefined> => {
    if (!ranWith.has(slip)) ranWith.set(slip, await runCasesWith(slip));
    return ranWith.get(slip);
  };
  const runCasesWith = async ({ row, form, reply }: Slip): Promise<CasesRun | undefined> => {
    const slipIn = (request: ComparisonRequest, right: ReceivedResponse, items: string) =>
      request.form === form || right.headers['x-envelope-served'] === form
        ? reply(right, items)
        : right;
    let last: CasesRun | undefined;
    let tried = 0;
    for (const one of cases) {
      const asked = exchanges.get(one.name) ?? [];
      if (!casesOf.get(row)?.includes(one.name)) continue;
      if (asked.every(({ request, right }) => slipIn(request, right, one.items) === right))
        continue;
      if (++tried > maxCases) break;
      const changing = async (request: ComparisonRequest) =>
        slipIn(request, await send(request), one.items);
      last = await runCases([one], { ...target, send: changing, sendAgain: changing });
      if (rowsOf(last).includes(row)) return last;
    }
    return last;
  };
  /** The verdict on a run, where a baseline knows what another one found. */
  const verdictOf = (ran: CasesRun, known: CasesRun): number => {
    const today = '2026-08-22';
    const reason = { reason: 'Mended soon', until: '2026-12-31' };
    const baseline = createBaseline(applyBaseline(buildRun([], known), [], today), reason);
    const whole = buildRun([], ran);
    return createReport(whole, applyBaseline(whole, baseline, today)).verdict.exitCode;
  };

  it('is reported if a form changes it, except free texts and transport headers', async () => {
    const missed: string[] = [];
    const split: string[] = [];
    const untried: string[] = [];
    for (const slip of slips) {
      const ran = await run(slip);
      const name = `${slip.row} ${slip.what}`;
      if (ran === undefined) untried.push(`${slip.form} ${slip.row}`);
      else {
        if (!rowsOf(ran).includes(slip.row)) missed.push(name);
        if (causesOf(ran.cases).length > 1) split.push(name);
      }
    }
    const inNeither = [
      ...['header.Content-Encoding', 'header.Retry-After', 'problem.window-spent'],
      ...['problem.day-spent', 'problem.unavailable', 'problem.bug'],
    ];
    expect([...new Set(untried)], 'in no case').to.have.members([
      ...comparedForms.flatMap((form) => inNeither.map((row) => `${form} ${row}`)),
      ...['Deprecation', 'Sunset', 'X-Params-Adjusted'].map((name) => `current header.${name}`),
      ...['RateLimit', 'RateLimit-Policy', 'Transfer-Encoding', 'X-Key-Expires'].map(
        (name) => `variant header.${name}`,
      ),
      ...['invalid-cursor', 'invalid-parameter'].map((name) => `variant problem.${name}`),
    ]);
    expect(split, 'with more than one cause').to.deep.equal([
      'spike.metric gone',
      'spike.metric other',
      'signing.label_songs[].label_detected gone',
      'signing.label_songs[].label_detected other',
      'envelope.meta.request_id other',
      'error.error.request_id other',
    ]);
    expect([...new Set(missed)], 'missed').to.have.members([
      'error.error.message other',
      // The comparison does not know the engine of a gateway.
      ...['spike', 'envelope.meta'].flatMap((of) =>
        ['name', 'version'].map((name) => `${of}.engine.${name} other`),
      ),
      'header.ETag gone', // health has one once the data is loaded
      ...['Date', 'Connection', 'Keep-Alive', 'Content-Length', 'Transfer-Encoding'].flatMap(
        (name) => [`header.${name} gone`, `header.${name} other`],
      ),
    ]);
  });

  it('is reported if a form shows it although it is hidden', async () => {
    const missed: string[] = [];
    for (const { table, row, form, paths, id } of memberRows) {
      const items = listsOf[table];
      if (items === undefined || (row.scope ?? row.presentIf) === undefined) continue;
      // Flags of points are absent if they are false, which hides nothing.
      if (/\*\[\]\.(estimated|stale|terminal)$/.test(id)) continue;
      const named = paths.map((path) =>
        path.map((part) => (part === '*' ? (row.keys?.[0] ?? part) : part)),
      );
      const isOfForm = (
        { form: asked }: ComparisonRequest,
        { status, headers }: ReceivedResponse,
      ) => asked === form && status === 200 && headers['x-envelope-served'] === form;
      const shownIn = ({ text, headers }: ReceivedResponse): unknown =>
        headers['content-type']?.includes('json')
          ? named.map((path) => valueIn(JSON.parse(text), path)).find((one) => one !== undefined)
          : undefined;
      const own = cases
        .filter((one) => one.items === items && one.each === undefined)
        .map((one) => {
          const replies = (exchanges.get(one.name) ?? [])
            .filter(({ request, right }) => isOfForm(request, right))
            .map(({ right }) => right);
          return { one, shown: replies.map(shownIn).find((value) => value !== undefined), replies };
        });
      const sample = own.find(({ shown }) => shown !== undefined)?.shown;
      let tried = 0;
      for (const { one, shown, replies } of own) {
        if (!runsAll && tried > 1) break;
        const put = (reply: ReceivedResponse) =>
          withBody(reply, (body) => {
            const { data } = Object(body);
            const path = named[Array.isArray(data) ? 1 : 0] ?? named[0] ?? [];
            return Array.isArray(data) && data.length === 0 ? body : putAt(body, path, sample);
          });
        if (shown !== undefined || replies.every((reply) => put(reply) === reply)) continue;
        tried += 1;
        const showing = async (request: ComparisonRequest) => {
          const reply = await send(request);
          return isOfForm(request, reply) ? put(reply) : reply;
        };
        const ran = await runCases([one], { ...target, send: showing, sendAgain: showing });
        if (!rowsOf(ran).includes(id)) missed.push(`${form} ${id} in ${one.name}`);
      }
    }
    expect(missed).to.deep.equal([]);
  });

  /** A form that reads one parameter of the queries that are sent to it in another way. */
  const runMisread = async (
    form: ComparedForm,
    path: string,
    misread: (query: URLSearchParams) => void,
  ): Promise<boolean> => {
    const sendMisread = async (request: ComparisonRequest): Promise<ReceivedResponse> => {
      const right = await send(request);
      const [route, text] = request.path.split('?');
      const query = new URLSearchParams(text);
      if (route !== path || right.headers['x-envelope-served'] !== form) return right;
      misread(query);
      const asked = `${path}?${query}`;
      if (text === undefined || asked === `${path}?${new URLSearchParams(text)}`) return right;
      const wrong = await send({ ...request, path: asked });
      // Not found by the repairs that it reports, but by what it lists.
      const { 'x-params-adjusted': repairs } = right.headers;
      const { 'x-params-adjusted': _, ...headers } = wrong.headers;
      return {
        ...wrong,
        headers: repairs === undefined ? headers : { ...headers, 'x-params-adjusted': repairs },
      };
    };
    for (const one of cases) {
      const asked = (exchanges.get(one.name) ?? []).map(({ request }) => request);
      if (!asked.some((request) => request.path.startsWith(`${path}?`))) continue;
      const ran = await runCases([one], { ...target, send: sendMisread, sendAgain: sendMisread });
      if (causesOf(ran.cases).length > 0) return true;
    }
    return false;
  };

  for (const form of forms)
    for (const { path, name } of queryParametersOf(form)) {
      const misreadings: Readonly<Record<string, (query: URLSearchParams) => void>> = {
        ignores: (query) => query.delete(name),
        misreads: (query) => {
          const value = query.get(name);
          const day = Date.parse(`${value}T00:00:00Z`);
          if (value === null) return;
          if (/^\d{4}-\d\d-\d\d$/.test(value))
            query.set(name, new Date(day + 86_400_000).toISOString().slice(0, 10));
          else if (/^\d{1,3}$/.test(value)) query.set(name, String(Number(value) - 1));
          else if (/^true$/i.test(value)) query.set(name, 'false');
          else if (/^false$/i.test(value)) query.set(name, 'true');
          else query.set(name, `${value}x`);
        },
      };
      for (const [does, misread] of Object.entries(misreadings))
        it(`reports a ${form.name} form that ${does} ${name} of ${path}`, async () => {
          const isFound = await runMisread(form.name, path, misread);
          expect(isFound, 'by a case in fixtures/cases').to.equal(true);
        });
    }

  it('is reported again if a known slip becomes another one', async () => {
    const unseen: string[] = [];
    for (const slip of slips) {
      const [of] = slip.row.split('.');
      if (slip.what !== 'gone' || of === undefined || !(of in listsOf)) continue;
      const { row, form } = slip;
      const other = slips.find(
        (one) => one.row === row && one.form === form && one.what === 'other',
      );
      const [known, again] = [await run(slip), other && (await run(other))];
      if (known === undefined || again === undefined || !rowsOf(again).includes(row)) continue;
      expect(verdictOf(known, known), row).to.equal(0);
      if (verdictOf(again, known) === 0) unseen.push(`${form} ${row}`);
    }
    expect(unseen).to.deep.equal([]);
  });
});
