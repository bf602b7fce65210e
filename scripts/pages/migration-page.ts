import { z } from 'zod';
import type { ComparedForm } from '../../tools/migration/mapping/forms.ts';
import {
  type Mapping,
  type MemberTable,
  tableTitles,
} from '../../tools/migration/mapping/mapping.ts';
import type {
  ErrorEntry,
  MemberRow,
  Parameter,
  QuotaRow,
  RowKind,
} from '../../tools/migration/mapping/rows.ts';
import { verbOf } from '../../tools/migration/mapping/rows.ts';
import { code, table } from '../markdown.ts';
import { formatJson } from './highlight.ts';
import { exchangeOf } from './recorded-answers.ts';

/**
 * Markdown for partners who move from the variant form to the current form, written from the
 * mapping and recorded answers.
 */

/** A list, its items as they were recorded: a schema of an item would reorder its members. */
const listed = z.object({ data: z.array(z.unknown()) });
const withLabelSongs = z.object({ label_songs: z.array(z.unknown()).nonempty() });

/** The tables of members in the order of the page, with their titles. */
const titledTables = (['envelope', 'artist', 'spike', 'signing', 'error'] as const).map(
  (table) => [table, tableTitles[table]] as const,
);

/** What is shown in both forms: its title and table, the exchange, and what of its answer. */
const shown: readonly (readonly [
  title: string,
  table: MemberTable,
  exchange: string,
  part: (body: unknown) => unknown,
])[] = [
  ['An artist', 'artist', 'artists-first-page', (body) => body],
  ['A spike', 'spike', 'spikes', (body) => listed.parse(body).data[0]],
  [
    'A signing',
    'signing',
    'signings',
    (body) => listed.parse(body).data.find((item) => withLabelSongs.safeParse(item).success),
  ],
  ['An error', 'error', 'quota-window-spent', (body) => body],
];

/** The paths of the values in JSON that has none below them. */
const leavesOf = (value: unknown, path: string): readonly string[] => {
  const below = Array.isArray(value)
    ? value.flatMap((item) => leavesOf(item, `${path}[]`))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, member]) => leavesOf(member, `${path}.${name}`))
      : [];
  return below.length > 0 ? below : [path];
};

/**
 * The numbers of the lines of formatted JSON that have a member which differs, and of those around
 * objects and lists that differ as a whole. Paths begin with a dot.
 */
const linesThatDiffer = (json: string, isKept: (path: string) => boolean): readonly number[] => {
  const lines = json.split('\n');
  const found: number[] = [];
  const readLine = (index: number, parent: string): { last: number; differs: boolean } => {
    const [, name, text = ''] = /^ *(?:"(\w+)": )?(.*?),?$/.exec(lines[index] ?? '') ?? [];
    const path = name === undefined ? parent : `${parent}.${name}`;
    let last = index;
    let differs = true;
    if (text === '{' || text === '[') {
      last += 1;
      while (!/^ *[\]}],?$/.test(lines[last] ?? '}')) {
        const member = readLine(last, text === '[' ? `${path}[]` : path);
        differs &&= member.differs;
        last = member.last + 1;
      }
    } else differs = leavesOf(JSON.parse(text), path).some((leaf) => !isKept(leaf));
    if (differs && path !== '') found.push(index + 1, last + 1);
    return { last, differs };
  };
  readLine(0, '');
  return [...new Set(found)].sort((a, b) => a - b);
};

/** Numbers of lines as a fence of code names them: `{2,5-8}`. */
const fenceMarks = (lines: readonly number[]): string => {
  const starts = lines.filter((line) => !lines.includes(line - 1));
  const ends = lines.filter((line) => !lines.includes(line + 1));
  const ranges = starts.map((from, index) => [...new Set([from, ends[index]])].join('-'));
  return `{${ranges.join(',')}}`;
};

/** Whether a client that moves keeps its code for a member of a form; paths begin with a dot. */
const keptIn = (form: ComparedForm, rows: readonly MemberRow[], place: string) => {
  const kept = rows
    .filter((row) => verbOf(row) === 'keep')
    .flatMap(({ [form]: path }) => (path === undefined ? [] : [`${place}.${path}`]))
    .map((path) => path.replaceAll(/[.[\]]/g, '\\$&').replaceAll('*', '[^.[]+'));
  const pattern = new RegExp(`^(?:${kept.join('|')})$`);
  return (path: string): boolean => pattern.test(path);
};

/** One answer of each kind in both forms, side by side on the page, with what differs marked. */
const examples = ({ members }: Mapping): string => {
  const side = (form: ComparedForm, [, table, exchange, part]: (typeof shown)[number]): string => {
    const { request, status, body } = exchangeOf(form, exchange);
    const example = part(body);
    const what = example === body ? status : `${status}, an item of ${code('data')}`;
    const json = formatJson(example, 60);
    const place = example === body && table !== 'error' ? '.data[]' : '';
    const lines = linesThatDiffer(json, keptIn(form, members[table], place));
    return `In the ${form} form, ${code(`GET ${request.path}`)}, ${what}:\n\n\`\`\`json ${fenceMarks(lines)}\n${json}\n\`\`\``;
  };
  return shown
    .map((example) =>
      section(example[0], ...(['variant', 'current'] as const).map((form) => side(form, example))),
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

const requests = ({ paths, parameters }: Mapping): string =>
  section(
    'Requests',
    'All paths begin with `/api/v1`. The key and the header `Authorization` stay the same: your key decides the form.',
    table(
      ['You send', 'Now', 'Remark'],
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

const answers = ({ members }: Mapping): string =>
  section(
    'Answers',
    '`[]` means every item of a list, `*` every key of a map. Unknown values are absent in both forms, never `null` and never 0.',
    ...titledTables.map(
      ([table, title]) =>
        `### ${title[0]?.toUpperCase()}${title.slice(1)}\n\n${memberTable(members[table])}`,
    ),
  );

const additions = ({ members }: Mapping): string =>
  section(
    'What is new',
    'You can ignore these members: they do not affect the ones that you read today.',
    table(
      ['Of', 'Member', 'Remark'],
      titledTables.flatMap(([table, title]) => addedRows(members[table], title)),
    ),
  );

const errorText = (error: ErrorEntry | undefined): string =>
  error === undefined ? 'never' : `${error.status} ${code(error.code)}`;

const behaviour = ({ behaviours, problems }: Mapping): string =>
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

const quotas = ({ quotas: rows }: Mapping): string => {
  const limitOf = (window: QuotaRow['window']): string =>
    rows.find((row) => row.window === window)?.requests.toLocaleString('en') ?? '';
  return section(
    'Quotas',
    `**${limitOf('hour')} requests an hour for each key become ${limitOf('minute')} a minute and ${limitOf('day')} a UTC day for the whole organization**, unless agreed otherwise. All keys of the current form share them. The two forms are counted separately, so you can run both side by side while you move.`,
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
    'A burst that fitted into an hour may not fit into a minute: spread your requests, and wait `Retry-After` seconds after a 429.',
  );
};

const headerVerbs: Partial<Readonly<Record<RowKind, string>>> = {
  derived: 'different value',
  'only current': 'new',
  'only variant': 'removed',
};

const headers = ({ headers: rows }: Mapping): string =>
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

For partners whose key is pinned to the variant form. Both forms serve the same data at the same time, and nothing is switched
off automatically. First come the five steps of a move, then the differences, member by member: they are generated from the table that
the gateway's own comparison checks both forms against, so they always match the gateway.

\`\`\`plot
way
\`\`\`

Where responses are shown side by side, \`≠\` marks lines with members that differ (in Markdown, the numbers after \`json\` list them).

## Find out

Once an end is announced for your key, every response in the variant form carries \`Deprecation\` (since when), \`Sunset\` (when we stop
supporting the form for you), or both. Log them: [Watch for the end date](/docs/variant#watch-for-the-end-date) has code for shell, Python,
JavaScript and PHP. Then ask us for three things:

- \`ids.csv\`, which pairs the identifiers of both forms, and \`labels.txt\`, the labels of \`_meta.labels_tracked\`, one per line;
- a migration guide that lists the calls your key makes and what to send instead;
- permission for your key to request the other form with the header \`X-Envelope\`. Its quota stays that of the variant form.

## Prove it

Run [artist-gateway.mjs](/docs/clients/artist-gateway.mjs) (Node 20.19 or later) next to your program, which may be in any language, and give your
program the address \`http://127.0.0.1:8081\` instead of ours. It loads the shortlist in the current form, serves this copy in the variant form, and
records your program's calls. [Keep a program that reads the variant form](/docs/tools#keep-a-program-that-reads-the-variant-form) has its digest, and the way
to get Node without root.

\`\`\`sh
ARTIST_API_KEY=… node artist-gateway.mjs serve --port 8081 --ids ids.csv --labels labels.txt --partner 'YOUR NAME' --record calls.txt
\`\`\`

\`YOUR NAME\` is the name in \`_meta.authenticated_as\`, character for character: our guide has it. Without \`--partner\`, \`serve\` sends \`partner\`
there, and \`check\` does not compare that member.

Then compare both forms over these calls: the first lines say how many requests and minutes that takes at most, the last is "214 of 214 equal" or the first member
that differs, with exit code 0 or 1. A call that differs is made again twice, 20 seconds apart, as data may change.

\`\`\`sh
ARTIST_API_KEY=… node artist-gateway.mjs check calls.txt --ids ids.csv --labels labels.txt --partner 'YOUR NAME'
\`\`\`

To find out which fields your program reads, run its tests against \`artist-gateway.mjs serve --without FIELD\`, once for each field that
\`artist-gateway.mjs serve --list-fields\` prints. If no test notices that a field is missing, you do not need to change anything for it.

Keep \`artist-gateway.mjs serve\` next to your program, or change your program. An artist that was added after we made \`ids.csv\` is served with its
identifier of the current form, and \`serve\` says so once on standard error: ask us for a new \`ids.csv\` then. To change your program:

1. Replace the artist identifiers that you store, once: they differ between the forms, and no response has both. Match artists with \`ids.csv\`,
   or by \`name\` and \`date_added\`. Song identifiers stay the same.
2. Change paths and parameters, then the members that you read, as the tables below show.
3. Check what you send: invalid parameters, which the variant form repairs, get a 400 in the current form.
4. Stay within the quota. After 429 \`rate_limited\`, wait \`Retry-After\` seconds; \`quota_exceeded\` lasts until the UTC day ends.

Then check the calls of the changed program. After the call on each line of \`calls.txt\`, write what the program sends now, or \`-\` if it sends nothing,
and run \`artist-gateway.mjs check\` again: it makes that call, and names both calls if the responses differ.

\`\`\`text
/api/v1/artists?new=7 /api/v1/added?days=7
/api/v1/artists?new=14&tier=watch /api/v1/artists?added_since={today-14}&tier=watch&limit=100
\`\`\`

\`{today-14}\` is the day 14 days ago (UTC). Write one call with the \`limit\` of all that your program reads; above 100, and with \`new\` or \`signed\`, the one
for the first page: only then \`check\` reads the other pages. It filters only by what the current form has no parameter for: \`signed\`, and artists
added after today. It does not run your program: compare what that prints or writes before and after too, on the same day.

## Rehearse it

Agree on a time for a trial. The operator starts it with \`artist-gateway keys pin KEY --form current --for 30m --reason TEXT\` (from 1 minute to
7 days), and within 5 seconds your key gets the current form. When that time is over, it automatically gets the variant form again; earlier
if you ask. What you see:

| What | Before and after | During the trial |
| --- | --- | --- |
| \`X-Envelope-Served\` | \`variant\` | \`current\` |
| Your requests count against | the hour of your key | the minute and the day of your organization |
| \`Deprecation\`, \`Sunset\` | sent once an end is announced | not sent |

A program that reads only the variant form fails during the trial: use the changed program, or \`artist-gateway.mjs serve\` with the same key. Tell the
form of a response by \`X-Envelope-Served\`, not by your clock.

## Move

Tell us when you are ready. Within 5 seconds your key gets the current form; the key itself and its scopes stay the same. Or ask for a second
key of the current form and switch yourself.

## Move back

Ask us, and within 5 seconds your key gets the variant form again, with the same hourly quota and announced end. Keep the version of
your program that reads the variant form until you are sure.`;

/** The migration guide. */
export const renderMigration = (mapping: Mapping): string =>
  `${[
    opening,
    examples(mapping),
    requests(mapping),
    answers(mapping),
    additions(mapping),
    behaviour(mapping),
    quotas(mapping),
    headers(mapping),
  ].join('\n\n')}\n`;
