import { z } from 'zod';
import { formatJson } from '../adapters/reference/highlight.ts';
import type { Crosswalk } from '../tools/crosswalk/crosswalk.ts';
import type { ComparedForm } from '../tools/crosswalk/forms.ts';
import type {
  ErrorMapping,
  MemberRow,
  Parameter,
  QuotaRow,
  RowKind,
} from '../tools/crosswalk/rows.ts';
import { tableTitles, verbOf } from '../tools/crosswalk/wording.ts';
import { code, table } from './markdown.ts';
import { exchangeOf } from './recorded-answers.ts';

/**
 * Markdown for partners who move from the variant form to the current form, written from the
 * crosswalk and recorded answers.
 */

/** A list, its items as they were recorded: a schema of an item would reorder its members. */
const listed = z.object({ data: z.array(z.unknown()) });
const withLabelSongs = z.object({ label_songs: z.array(z.unknown()).nonempty() });

/** The tables of members in the order of the page, with their titles. */
const titledTables = (['envelope', 'artist', 'spike', 'signing', 'error'] as const).map(
  (table) => [table, tableTitles[table]] as const,
);

/** What is shown in both forms: its title, the recorded exchange, and what of its answer. */
const shown: readonly (readonly [
  title: string,
  exchange: string,
  part: (body: unknown) => unknown,
])[] = [
  ['An artist', 'artists-first-page', (body) => body],
  ['A spike', 'spikes', (body) => listed.parse(body).data[0]],
  [
    'A signing',
    'signings',
    (body) => listed.parse(body).data.find((item) => withLabelSongs.safeParse(item).success),
  ],
  ['An error', 'quota-window-spent', (body) => body],
];

/** One answer of each kind in both forms, side by side on the page. */
const examples = (): string => {
  const side = (form: ComparedForm, exchange: string, part: (body: unknown) => unknown): string => {
    const { request, status, body } = exchangeOf(form, exchange);
    const example = part(body);
    const what = example === body ? status : `${status}, an item of ${code('data')}`;
    const json = formatJson(example, 60);
    return `In the ${form} form, ${code(`GET ${request.path}`)}, ${what}:\n\n\`\`\`json\n${json}\n\`\`\``;
  };
  return shown
    .map(([title, exchange, part]) =>
      section(
        title,
        ...(['variant', 'current'] as const).map((form) => side(form, exchange, part)),
      ),
    )
    .join('\n\n');
};

const inline = (text: string): string => text.replaceAll(/[|*<]/g, '\\$&');
const section = (title: string, ...parts: readonly string[]): string =>
  [`## ${title}`, ...parts].join('\n\n');

/** A member of the variant form, and its counterpart in the current form. */
const memberTable = (rows: readonly MemberRow[]): string =>
  table(
    ['You read', 'Now', 'To do', 'Remark'],
    rows
      .filter(({ variant }) => variant !== undefined)
      .map((row) => [code(row.variant), code(row.current), verbOf(row), inline(row.reason)]),
  );

const addedRows = (rows: readonly MemberRow[], what: string): string[][] =>
  rows
    .filter(({ variant }) => variant === undefined)
    .map(({ current, reason }) => [what, code(current), inline(reason)]);

const rangeText = ({ range }: Parameter): string =>
  range === undefined ? '' : ` (${range.min} to ${range.max}, default ${range.default})`;

const parameterText = (parameter: Parameter | undefined): string =>
  parameter === undefined
    ? '–'
    : `${code(`${parameter.path}?${parameter.name}=`)}${rangeText(parameter)}`;

const requests = ({ paths, parameters }: Crosswalk): string =>
  section(
    'Requests',
    'All paths begin with `/api/v1`. The key and the header `Authorization` stay as they are: your key decides the form.',
    table(
      ['You ask', 'Now', 'Remark'],
      paths.map(({ current, variant, reason }) => [code(variant), code(current), inline(reason)]),
    ),
    table(
      ['Your parameter', 'Now', 'Remark'],
      parameters.map(({ current, variant, reason }) => [
        parameterText(variant),
        parameterText(current),
        inline(reason),
      ]),
    ),
  );

const answers = ({ members }: Crosswalk): string =>
  section(
    'Answers',
    '`[]` means every item of a list, `*` every key of a map. Unknown values are absent in both forms, never `null` and never 0.',
    ...titledTables.map(
      ([table, title]) =>
        `### ${title[0]?.toUpperCase()}${title.slice(1)}\n\n${memberTable(members[table])}`,
    ),
  );

const additions = ({ members }: Crosswalk): string =>
  section(
    'What is new',
    'You can ignore these members: they do not affect the ones you read today.',
    table(
      ['Of', 'Member', 'Remark'],
      titledTables.flatMap(([table, title]) => addedRows(members[table], title)),
    ),
  );

const errorText = (error: ErrorMapping | undefined): string =>
  error === undefined ? 'never' : `${error.status} ${code(error.code)}`;

const behaviour = ({ behaviours, problems }: Crosswalk): string =>
  section(
    'What changes in behaviour',
    table(
      ['What', 'Variant form', 'Current form'],
      behaviours.map(({ about, current, variant }) => [
        inline(about),
        inline(variant),
        inline(current),
      ]),
    ),
    table(
      ['Problem', 'Variant form', 'Current form', 'Remark'],
      problems.map(({ problem, current, variant, reason }) => [
        problem.replaceAll('-', ' '),
        errorText(variant),
        errorText(current),
        inline(reason),
      ]),
    ),
  );

const quotas = ({ quotas: rows }: Crosswalk): string => {
  const limitOf = (window: QuotaRow['window']): string =>
    rows.find((row) => row.window === window)?.requests.toLocaleString('en') ?? '';
  return section(
    'Quotas',
    `**${limitOf('hour')} requests an hour for each key become ${limitOf('minute')} a minute and ${limitOf('day')} a UTC day for the whole organization**, unless yours was given other numbers. All keys of the current form share them; the two forms are counted separately, so that both can run side by side while you move.`,
    table(
      ['Form', 'Requests', 'Counted for', 'Headers', 'Remark'],
      rows.map(({ form, window, requests: limit, per, header, reason }) => [
        `${form} form`,
        `${limit.toLocaleString('en')} a${window === 'hour' ? 'n' : ''} ${window}`,
        per,
        code(`${header}-*`),
        inline(reason),
      ]),
    ),
    'A burst that fitted into the hour may not fit into a minute: spread requests, and wait as many seconds as `Retry-After` says after a 429.',
  );
};

const headerVerbs: Partial<Readonly<Record<RowKind, string>>> = {
  derived: 'other value',
  'only current': 'new',
  'only variant': 'gone',
};

const headers = ({ headers: rows }: Crosswalk): string =>
  section(
    'Headers',
    table(
      ['Header', 'Now', 'Remark'],
      rows.flatMap(({ name, kind, reason }) => {
        const verb = headerVerbs[kind];
        return verb === undefined ? [] : [[code(name), verb, inline(reason)]];
      }),
    ),
  );

const opening = `# From the variant form to the current form

For partners whose key is pinned to the variant form. Both forms serve the same data at the same
time; this page lists the differences, member by member. It is generated from the crosswalk that the gateway's own comparison
checks both forms against, so it cannot drift from the gateway.

To keep your program as it is, run [moving.py](/docs/clients/moving.py) beside it, or [moving.mjs](/docs/clients/moving.mjs)
([.ts](/docs/clients/moving.ts)), and give your program the address \`http://127.0.0.1:8081\` instead of ours:

\`\`\`sh
ARTIST_API_KEY=… python3 moving.py serve --port 8081 --ids ids.csv --labels labels.txt
\`\`\`

It speaks the variant form and asks the current form with your new key, for a program in any language. Ask for \`ids.csv\`, the
list of pairs; \`labels.txt\` has the labels of \`_meta.labels_tracked\`, one a line. More than
100 artists cost two requests, and \`X-RateLimit-*\` are those of the quota with fewer requests left.

**Prove that nothing changes.** With \`--record calls.txt\` it writes down what your program asks for. Then compare both forms over
these calls, with a key that may choose its form (\`X-Envelope\`): the first line says how many requests that costs, the last
"214 of 214 equal" or the first member that differs, and the exit code is 0 or 1.

\`\`\`sh
ARTIST_API_KEY=… python3 moving.py check calls.txt --ids ids.csv --labels labels.txt
\`\`\`

**See which members your program reads.** Run its own tests once for each member that \`moving.py serve --list-members\` prints,
against \`moving.py serve --without MEMBER\`. A member whose absence no test notices need not be changed in your program.

To change your program:

1. Ask for a key of the current form, or to have yours moved when you are ready. A move takes effect within seconds, and so
   does a move back. Nothing is switched off automatically. If you ask for it, your key may try the current form with the
   header \`X-Envelope: current\` before it moves.
2. Pair identifiers once, where you store them: the two forms have different ones for an artist, and no answer has both.
   Songs have the same in both forms. Ask for the list of pairs; artists also pair by \`name\` and \`date_added\`.
3. Change paths and parameters, then the members that you read, by the tables below.
4. Check what you send: the current form refuses with 400 what the variant form repairs.
5. Keep your request rate within the quota, and wait as long as \`Retry-After\` says.`;

/** The page `docs/generated/migration.md`. */
export const renderMigration = (crosswalk: Crosswalk): string =>
  `${[
    opening,
    examples(),
    requests(crosswalk),
    answers(crosswalk),
    additions(crosswalk),
    behaviour(crosswalk),
    quotas(crosswalk),
    headers(crosswalk),
  ].join('\n\n')}\n`;
