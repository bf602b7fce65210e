import { renderMarkdown } from '../../../adapters/reference/markdown.ts';
import { html } from '../../../adapters/text/html.ts';
import { renderDocument } from '../../../adapters/text/html-document.ts';
import { escapeMarkdown, markdownCode, markdownTable } from '../../../adapters/text/markdown.ts';
import { countOf, formatInstant } from '../../../src/domain/quantities.ts';
import { requestedMove } from '../../migration/evidence.ts';
import type { ExampleCall } from '../../migration/example-calls.ts';
import type { RefusalReport } from '../../migration/quota-report.ts';
import { windowNames } from '../policy.ts';
import { type ChangeColumn, changeTables, none } from '../readiness/change-tables.ts';
import { effectDelay } from '../settings.ts';
import { type LetterFacts, writeIntroduction } from './introduction.ts';

const { from, to } = requestedMove;

const section = (title: string, ...parts: readonly (string | undefined)[]): string => {
  const content = parts.filter((part) => part !== undefined);
  return content.length === 0 ? '' : `## ${title}\n\n${content.join('\n')}\n`;
};

const call = ({ path, status }: ExampleCall): string => `\`GET /api/v1${path}\` → ${status}`;

const same = 'unchanged';

const programSection = ({ baseUrl }: LetterFacts): string =>
  section(
    'To keep your program as it is',
    'Run this beside it, and give your program the address `http://127.0.0.1:8081` instead of ours:',
    '',
    '```sh',
    'ARTIST_API_KEY=… python3 moving.py serve --port 8081 --ids ids.csv --labels labels.txt',
    '```',
    '',
    `The key is your new one. We send you \`ids.csv\`; \`labels.txt\` has the labels of \`_meta.labels_tracked\`, one a line. ${['py', 'mjs', 'ts'].map((kind) => `<${baseUrl}/docs/clients/moving.${kind}>`).join(', ')}`,
  );

const callSection = ({ calls, report }: LetterFacts): string =>
  section(
    'Your calls, before and after',
    `We saw ${countOf(report.requests, 'request')} since ${report.first_day}, the last at ${report.last_at}.\n`,
    markdownTable(
      ['today', 'the same call after the move', 'send instead', 'why'],
      calls.map(({ before, unchanged, after, remark }) => {
        const isSent = after.path === before.path;
        const sameCall =
          unchanged ?? (isSent && after.status !== before.status ? after : undefined);
        return [
          call(before),
          sameCall === undefined ? same : call(sameCall),
          isSent ? same : call(after),
          escapeMarkdown(remark),
        ];
      }),
    ),
  );

const toMarkdown = (value: string | number | undefined, isCode = false): string => {
  const text = String(value ?? none);
  return isCode && text !== none ? markdownCode(text) : escapeMarkdown(text);
};

const changeTable = <Row>(
  rows: readonly Row[],
  columns: readonly ChangeColumn<Row>[],
): string | undefined => {
  const shown = columns.filter(({ isForOperator = false }) => !isForOperator);
  const cells = rows.map((row) => shown.map(({ show, isCode }) => toMarkdown(show(row), isCode)));
  return markdownTable(
    shown.map(({ title }) => title),
    cells,
  );
};

const tables = changeTables(to);

const changeSection = ({ report }: LetterFacts): string =>
  section(
    'What to change in your requests',
    changeTable(report.parameters, tables.parameters),
    changeTable(report.behaviours, tables.behaviours),
  );

const memberSection = ({ report }: LetterFacts): string =>
  section(
    'What to read differently in the answers',
    changeTable(report.members, tables.members),
    changeTable(report.errors, tables.errors),
  );

const worstLine = ({ window, limit, worst }: RefusalReport): string[] =>
  worst.map(
    ({ starts_at, asked }) =>
      `- ${starts_at}: ${countOf(asked, 'request')} in ${windowNames[window]}, of which ${limit} are granted.`,
  );

const quotaSection = ({ quota, key }: LetterFacts): string => {
  const limits = quota.quotas
    .map(({ limit, window }) => `${countOf(limit, 'request')} ${windowNames[window]}`)
    .join(' and ');
  const isShared = quota.quotas.some(({ subject }) => subject !== `key:${key.id}`);
  const whose = isShared ? 'shared by all keys of your organization' : 'for this key';
  const counted = isShared ? 'The requests of all these keys' : 'Its requests';
  const replayed = `${counted} from ${quota.since} to ${quota.until}, counted against that: ${quota.would_refuse} of ${quota.asked} would have been refused with 429.`;
  const enough = quota.refusals
    .filter(({ enough: needed, limit }) => needed > limit)
    .map(({ window, enough: needed }) => `${needed} ${windowNames[window]}`);
  const advice =
    quota.would_refuse === 0
      ? ['Nothing to spread.']
      : [
          'Spread these requests over more minutes, or ask us for a larger quota:',
          '',
          ...quota.refusals.flatMap(worstLine),
          '',
          `Without spreading you would need ${enough.join(' and ')}.`,
        ];
  return section('Your quota', `${limits}, ${whose}. ${replayed}\n`, ...advice);
};

const dateSection = ({ key }: LetterFacts): string => {
  const lines = [
    [formatInstant(key.deprecatedAt), `the ${from} form is deprecated for your key.`],
    [key.sunset, `the ${from} form ends for your key.`],
    [
      formatInstant(key.expiresAt),
      key.replacedBy === undefined
        ? 'your key expires. Ask us for its successor before then.'
        : `your key expires. Key \`${key.replacedBy}\` replaces it.`,
    ],
  ].flatMap(([date, what]) => (date === undefined ? [] : [`- ${date}: ${what}`]));
  const other = key.expiresAt === undefined ? '' : ' else';
  return section(
    'Dates',
    ...(lines.length === 0 ? ['No date is set.'] : lines),
    '',
    `Nothing${other} is switched off by itself: we move your key when you say so.`,
  );
};

const trySection = ({ key, baseUrl, supportContact }: LetterFacts): string =>
  section(
    'How to try it',
    key.allowEnvelopeOverride
      ? `Your key may ask for the ${to} form now, within the quota it has today:`
      : `Ask us to let your key try the ${to} form. Then, within the quota it has today:`,
    '',
    '```sh',
    `curl -H "Authorization: Bearer $KEY" -H "X-Envelope: ${to}" "${baseUrl}/api/v1/artists?limit=1"`,
    '```',
    '',
    `- All differences: <${baseUrl}/docs/migration>`,
    `- The reference and the contract: <${baseUrl}/docs> and <${baseUrl}/openapi.json>`,
    '- Stored identifiers: we send you a list with both identifiers of every artist.',
    `- When you say so, we move your key. It is answered in its new form ${effectDelay()}; moving back takes as long.`,
    ...(supportContact === undefined ? [] : [`- Questions: <${supportContact}>`]),
  );

/**
 * Writes the letter to a partner in Markdown: what changes for its key, and nothing about any other
 * key or organization. The quota counts all keys of its organization when they share it.
 */
export const writeLetter = (facts: LetterFacts): string =>
  [
    writeIntroduction,
    programSection,
    ...(facts.calls.length === 0 ? [] : [callSection]),
    ...[changeSection, memberSection, quotaSection, dateSection, trySection],
  ]
    .map((write) => write(facts))
    .filter((part) => part !== '')
    .join('\n');

const style = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
.table { margin: 1rem 0 } table { border-collapse: collapse; width: 100% } th, td { border: 1px solid #8888; padding: 4px 8px; text-align: left; vertical-align: top }
th:last-child:not(:nth-child(2)) { width: 36% } code, pre { font: 14px ui-monospace, monospace } pre { overflow-x: auto } .copy { display: none }
:root { color-scheme: light dark; background: light-dark(#ffffff, #12151c); color: light-dark(#1c2130, #e4e7ee) } a { color: light-dark(#3451c7, #8ea6ff) }
@media (width < 45rem) { table, tbody, tr, td { display: block } thead { display: none } tr { margin-bottom: 1rem }
td::before { content: attr(data-label); display: block; font-size: 14px; font-weight: 600 } }`;

/** The letter as one HTML page that loads nothing. */
export const letterHtml = (markdown: string, title: string): string =>
  renderDocument(title, html`<main>${renderMarkdown(markdown)}</main>`, { style, script: '' }).text;
