import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { markdownTable as table } from '../../adapters/text/markdown.ts';
import { docsFolder } from '../../src/runtime/folders.ts';
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
} from '../../tools/migration/mapping/rows.ts';
import { changedHeaders, verbOf } from '../../tools/migration/mapping/rows.ts';
import { formatJson } from './code-blocks.ts';
import { code, paragraphs } from './markdown.ts';
import { exchangeOf } from './recorded-answers.ts';

/** Items stay as recorded: a schema of an item would reorder its fields. */
const listed = z.object({ data: z.array(z.unknown()) });
const withLabelSongs = z.object({ label_songs: z.array(z.unknown()).nonempty() });

const titledTables = (['envelope', 'artist', 'spike', 'signing', 'error'] as const).map(
  (table) => [table, tableTitles[table]] as const,
);

/** What is shown in both forms. */
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

/** The paths of all values that contain no other value. */
const leavesOf = (value: unknown, path: string): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.entries(value).flatMap(([name, member]) =>
    leavesOf(member, Array.isArray(value) ? `${path}[]` : `${path}.${name}`),
  );
  return below.length > 0 ? below : [path];
};

/** Lines of formatted JSON, from 1, with a field that differs. Paths begin with a dot. */
const linesThatDiffer = (json: string, isKept: (path: string) => boolean): readonly number[] => {
  const parents = [''];
  return json.split('\n').flatMap((line, index) => {
    const [, name, text = ''] = /^ *(?:"(\w+)": )?(.*?),?$/.exec(line) ?? [];
    const parent = parents.at(-1) ?? '';
    const path = name === undefined ? parent : `${parent}.${name}`;
    if (/^[\]}]$/.test(text)) parents.pop();
    else if (/^[{[]$/.test(text)) parents.push(text === '[' ? `${path}[]` : path);
    else return leavesOf(JSON.parse(text), path).every(isKept) ? [] : [index + 1];
    return [];
  });
};

/** Returns a test for fields that need no change in a client's code. */
const keptIn = (form: ComparedForm, rows: readonly MemberRow[], place: string) => {
  const kept = rows
    .filter((row) => verbOf(row) === 'keep')
    .flatMap(({ [form]: path }) => (path === undefined ? [] : [`${place}.${path}`]))
    .map((path) => path.replaceAll(/[.[\]]/g, '\\$&').replaceAll('*', '[^.[]+'));
  const pattern = new RegExp(`^(?:${kept.join('|')})$`);
  return (path: string): boolean => pattern.test(path);
};

/** Responses in both forms; what differs is marked. */
const examples = ({ members }: Mapping): string => {
  const side = (form: ComparedForm, [, table, exchange, part]: (typeof shown)[number]): string => {
    const { request, status, body } = exchangeOf(form, exchange);
    const example = part(body);
    const what = example === body ? status : `${status}, an item of ${code('data')}`;
    const json = formatJson(example, 60);
    const place = example === body && table !== 'error' ? '.data[]' : '';
    const lines = linesThatDiffer(json, keptIn(form, members[table], place));
    return `In the ${form} form, ${code(`GET ${request.path}`)}, ${what}:\n\n\`\`\`json {${lines.join(',')}}\n${json}\n\`\`\``;
  };
  return paragraphs(
    ...shown.map((example) =>
      section(example[0], side('variant', example), side('current', example)),
    ),
  );
};

const inline = (text: string): string => text.replaceAll(/[*<]/g, '\\$&');
const section = (title: string, ...parts: readonly string[]): string =>
  paragraphs(`## ${title}`, ...parts);

const memberTable = (rows: readonly MemberRow[]): string =>
  table(
    ['You read', 'Now', 'To do', 'Note'],
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
    'All paths begin with `/api/v1`. The header `Authorization` stays the same.',
    table(
      ['You send', 'Now', 'Note'],
      paths.map(({ current, variant, reason }) => [code(variant), code(current), inline(reason)]),
    ),
    table(
      ['Your parameter', 'Now', 'Note'],
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
    '`[]` is every item of a list, `*` every key of a map. Unknown values are absent in both forms.',
    ...titledTables.map(
      ([table, title]) =>
        `### ${title[0]?.toUpperCase()}${title.slice(1)}\n\n${memberTable(members[table])}`,
    ),
  );

const additions = ({ members }: Mapping): string =>
  section(
    'What is new',
    'You can ignore these fields.',
    table(
      ['Of', 'Field', 'Note'],
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
      ['Problem', 'Variant form', 'Current form', 'Note'],
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
    `**${limitOf('hour')} requests an hour for each key become ${limitOf('minute')} a minute and ${limitOf('day')} a UTC day for the whole organization**, unless agreed otherwise. The forms are counted separately, so you can run both while you move.`,
    table(
      ['Form', 'Requests', 'Counted for', 'Headers', 'Note'],
      rows.map(({ form, window, requests: limit, per, header, reason }) => [
        `${form} form`,
        `${limit.toLocaleString('en')} a${window === 'hour' ? 'n' : ''} ${window}`,
        per,
        code(`${header}-*`),
        inline(reason),
      ]),
    ),
  );
};

const headers = ({ headers: rows }: Mapping): string =>
  section(
    'Headers',
    table(
      ['Header', 'Now', 'Note'],
      changedHeaders(rows).map(({ name, change, reason }) => [code(name), change, inline(reason)]),
    ),
  );

export const renderMigration = (mapping: Mapping): string =>
  paragraphs(
    readFileSync(join(docsFolder, 'site/migration.md'), 'utf8'),
    ...[examples, requests, answers, additions, behaviour, quotas, headers].map((write) =>
      write(mapping),
    ),
  );
