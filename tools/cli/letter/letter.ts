import { renderMarkdown } from '../../../adapters/reference/markdown.ts';
import { html } from '../../../adapters/text/html.ts';
import { renderDocument } from '../../../adapters/text/html-document.ts';
import { markdownCode, markdownTable } from '../../../adapters/text/markdown.ts';
import { plainText } from '../../../adapters/text/plain-text.ts';
import { countOf, formatInstant, sum } from '../../../src/domain/quantities.ts';
import { requestedMove } from '../../migration/evidence.ts';
import type { KeyReport } from '../../migration/key-report.ts';
import { mapping } from '../../migration/mapping/mapping.ts';
import type { RefusalReport } from '../../migration/quota-report.ts';
import { windowNames } from '../policy.ts';
import { type ChangeColumn, changeTables } from '../readiness/change-tables.ts';
import { effectDelay } from '../settings.ts';
import { quotedWord } from '../terminal/shell-word.ts';
import { none } from '../terminal/table.ts';
import { callCells, callTitles, checkedLine } from './call-cells.ts';
import { isAlwaysSent, neverSent, newMembers } from './contract-members.ts';
import { type LetterFacts, requestsADay, writeIntroduction } from './introduction.ts';
import { proseMarkdown, tableCell } from './prose.ts';

const { from, to } = requestedMove;

const section = (title: string, ...parts: readonly (string | undefined)[]): string => {
  const content = parts.filter((part) => part !== undefined);
  return content.length === 0 ? '' : `## ${title}\n\n${content.join('\n')}\n`;
};

const table = (
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): string | undefined =>
  markdownTable(
    titles,
    rows.map((cells) => cells.map(tableCell)),
  );

const sh = (...lines: readonly string[]): string => ['```sh', ...lines, '```'].join('\n');

/** A text as one word of a shell, in quotes if it needs them. */
const quoted = (text: string): string => (/^[\w./:-]+$/.test(text) ? text : quotedWord(text));

/** The paths that a key was answered on, below `/api/v1`. */
const pathsOf = ({ report }: LetterFacts): readonly string[] =>
  report.paths.flatMap(({ path }) => path ?? []);

/** Those that the program reads, and those that it does not. */
const movedMembers = ({ members, members_not_read }: KeyReport): KeyReport['members'] => [
  ...members,
  ...members_not_read,
];

const factsOfAnswers = ({ key, report }: LetterFacts) => ({
  scopes: key.scopes,
  isBasic:
    movedMembers(report).length > 0 &&
    movedMembers(report).every(({ member }) => !member.startsWith('songs')),
});

const asks = (facts: LetterFacts, path: string): boolean => pathsOf(facts).includes(path);

/** How `moving.py` is called, with all that it needs for this key. */
const movingLine = ({ key, quota, baseUrl }: LetterFacts, words: string): string =>
  [
    `ARTIST_API_URL=${quoted(baseUrl)} ARTIST_API_KEY=… python3 moving.py ${words}`,
    `--ids ids.csv --labels labels.txt --partner=${quoted(plainText(key.partner))}`,
    ...(quota.would_refuse > 0 ? ['--wait'] : []),
  ].join(' ');

/** The key that the program uses from now on, and how it asks for the other form before the move. */
const keyStep = ({ key }: LetterFacts): string => {
  const which =
    key.replacedBy === undefined
      ? 'Your key stays the same.'
      : `Use the key \`${key.replacedBy}\` from now on: yours expires.`;
  const may = key.allowEnvelopeOverride
    ? `It may request the ${to} form today:`
    : `Ask us to let it try the ${to} form, then`;
  return `${which} ${may} send the header \`X-Envelope: ${to}\` with every request. Once we have moved the key, the header has no effect.`;
};

const stepSection = (facts: LetterFacts): string => {
  const { calls, report, key } = facts;
  const hasLabels = asks(facts, '/signings');
  const steps = [
    'Keep a copy of the program and of what it prints or writes today. After the move, its output must be the same.',
    'Make the decisions under "To decide", or take the defaults given there.',
    `Save the files that came with this letter next to the program: \`ids.csv\` (a header line \`variant,current\`, then one line for each artist with its two identifiers; lines end in CR LF, values with a comma or quote are quoted)${hasLabels ? ' and `labels.txt` (one tracked label per line, lines end in LF, in the order of `_meta.labels_tracked`)' : ' and `labels.txt` (only `moving.py` reads it)'}.`,
    keyStep(facts),
    ...(calls.length === 0 ? [] : ['Send each call as the table "Your calls" says.']),
    ...(movedMembers(report).length === 0
      ? []
      : [
          'Read the members of "Members that moved" where they are now. If the program fails on unknown members, let it accept those of "New members". Everything else is unchanged: "What stays the same".',
        ]),
    'Handle errors as "Errors" says, and stay within "Your quota".',
    'Run both programs on the same day and compare their output.',
    ...(calls.length === 0 ? [] : ['Run "The check" with the calls that the program makes now.']),
    `Tell us when we can move the key \`${key.replacedBy ?? key.id}\`. It then gets the ${to} form ${effectDelay()}; moving it back is as fast.`,
  ];
  return section('Steps', ...steps.map((step, index) => `${index + 1}. ${step}`));
};

const decisionSection = (facts: LetterFacts): string => {
  const { quota } = facts;
  const decisions = [
    ...(asks(facts, '/artists')
      ? [
          '- **Artist identifiers.** They differ between the two forms. By default the program keeps the ones it has: it looks up every `id` of a response in column `current` of `ids.csv` and uses the one in column `variant`, and the reverse before it sends one. Or replace the stored ones once and use the new ones from then on. An artist that is not in `ids.csv` was added after we made the list: by default its `id` is used unchanged; ask us for a new list.',
        ]
      : []),
    ...(asks(facts, '/signings')
      ? [
          '- **Labels.** No response lists all tracked labels any more. By default the program reads them from `labels.txt`. A `label_detected` that is not in it is a new label: use it as it is, and ask us for a new list.',
        ]
      : []),
    '- **New members.** By default a program that fails on unknown members accepts those in the tables below, each in its place; more may be added later.',
    ...(quota.would_refuse > 0
      ? [
          '- **Quota.** Your present requests exceed it ("Your quota"). By default the program waits `Retry-After` seconds after a 429 and repeats the request; or spread the requests, or ask us for a larger quota.',
        ]
      : []),
  ];
  return section('To decide', ...decisions);
};

/** Not `calls.txt`, into which the guide lets the partner record. */
const checkedFile = 'calls-of-letter.txt';

const checkSection = (facts: LetterFacts): string =>
  section(
    'The check',
    `Each line has a call of today and the call that the table gives for it (\`-\`: none; \`{today-14}\`: the day 14 days ago, UTC; a literal day works too). \`moving.py\` makes both calls, adds the pages and filters of the table, converts the response of the ${to} form to the ${from} form, and compares the two (up to three times, 20 seconds apart, as data may change). It prints the number of equal calls and exits with 0, or prints the first pair of calls that differs and exits with 1. When you have changed the program, replace the second column of \`${checkedFile}\` with the calls that it makes now (the first page only), and run the check again. You may add lines; identifiers are examples, so replace them in both columns. \`check\` does not run your program: whether it reads all pages, filters, stops in time and looks up identifiers, you see when you compare its output ("Steps").`,
    '',
    'Run this once: a second run overwrites your changes to the file.',
    '',
    sh(
      `curl -fO ${quoted(`${facts.baseUrl}/docs/clients/moving.py`)}`,
      `cat > ${checkedFile} <<'END'`,
      ...facts.calls.map((call) => checkedLine(call)),
      'END',
    ),
    '',
    'Each time:',
    '',
    sh(movingLine(facts, `check ${checkedFile}`)),
  );

const programs = [
  ['py', 'Python 3.9 or later'],
  ['mjs', 'Node 20.19 or later'],
  ['ts', 'its source'],
] as const;

const programSection = (facts: LetterFacts): string =>
  section(
    'Or keep your program unchanged',
    `Run this next to it, and give your program the address \`http://127.0.0.1:8081\` instead of ours. It serves the ${from} form and requests the ${to} form with the same key:`,
    '',
    sh(movingLine(facts, 'serve --port 8081')),
    '',
    `Programs with the same options: ${programs.map(([kind, needs]) => `<${facts.baseUrl}/docs/clients/moving.${kind}> (${needs})`).join(', ')}.`,
  );

const unnamedText = ({ report }: LetterFacts): string =>
  report.unnamed === 0
    ? ''
    : ` Of these, ${countOf(report.unnamed, 'request')} ${report.unnamed === 1 ? 'is' : 'are'} not in this table because we did not record the whole call; what we know is under "Other requests".`;

const seenText = ({ report, artists }: LetterFacts): string => {
  const { requests, first_day, last_at, tried, calls_a_day } = report;
  const other = tried.requests === 0 ? '' : `, and ${tried.requests} in the ${to} form`;
  return `We saw ${countOf(requests, 'request')} in the ${from} form since ${first_day}, the last at ${last_at}${other}: ${requestsADay(calls_a_day)}. Each row is one kind of call, with its result for today's ${countOf(artists, 'artist')}`;
};

const costText = ({ calls, report }: LetterFacts): string => {
  const after = sum(calls.map(({ after: { requests } }) => requests));
  const [daily, dailyAfter] = [report.calls_a_day, report.calls_a_day_after].map(requestsADay);
  const change =
    daily === dailyAfter
      ? `still ${daily}`
      : `${daily} become at most ${dailyAfter} (with every list read to its end)`;
  return `All these calls, once each, take ${countOf(calls.length, 'request')} today and ${after} after the move: ${change}.`;
};

/** Whether a call has a parameter whose letter case does not count. */
const hasFlag = ({ calls }: LetterFacts): boolean =>
  calls.some(({ before }) => /[?&]signed=(?:true|false)(?:&|$)/.test(before.target));

/** Whether a call has a text that is none of a parameter's values. */
const hasText = ({ calls }: LetterFacts): boolean =>
  calls.some(({ before }) => /=text(?:&|$)/.test(before.target));

const callSection = (facts: LetterFacts): string =>
  section(
    'Your calls',
    `${seenText(facts)}; identifiers are examples${hasFlag(facts) ? ', `signed` is written as we used it (`FALSE` as `false`)' : ''}${hasText(facts) ? ', and `text` stands for any value that is not valid there (`tier` is case-sensitive)' : ''}.${unnamedText(facts)}\n`,
    table(
      callTitles,
      facts.calls.map((measured) => callCells(measured)),
    ),
    `${costText(facts)} Where a call becomes several, count the items that you keep: \`meta.count\` counts one page. Only \`/artists\` has further pages: on other lists \`meta.next_cursor\` is always \`null\`. A cursor needs no URL encoding. Days are UTC. \`date_added\` is a day too, and always there in a response to \`added_since\`.`,
  );

const toMarkdown = (value: string | number | undefined, isCode = false): string => {
  const text = String(value ?? none);
  return isCode && text !== none ? markdownCode(text) : proseMarkdown(text);
};

const changeTable = <Row>(
  rows: readonly Row[],
  columns: readonly ChangeColumn<Row>[],
): string | undefined => {
  const shown = columns.filter(({ isForOperator = false }) => !isForOperator);
  const cells = rows.map((row) => shown.map(({ show, isCode }) => toMarkdown(show(row), isCode)));
  return table(
    shown.map(({ title }) => title),
    cells,
  );
};

const tables = changeTables(to);

/** Requests of days before calls were kept: what is known of their parameters. */
const otherSection = ({ report }: LetterFacts): string =>
  report.unnamed === 0
    ? ''
    : section(
        'Other requests',
        changeTable(report.parameters, tables.parameters),
        changeTable(report.behaviours, tables.behaviours),
      );

const sent = (isAlways: boolean | undefined): string =>
  isAlways === undefined ? none : isAlways ? 'always' : 'sometimes';

const unreadText = ({ report, baseUrl }: LetterFacts): readonly string[] => {
  const { length } = report.members_not_read;
  const table =
    report.members.length === 0
      ? 'Your program reads none of them'
      : 'These are the ones that your program reads';
  return length === 0
    ? []
    : [
        `${table}, according to your list; ${countOf(length, 'other member')} moved too (<${baseUrl}/docs/migration>).\n`,
      ];
};

const memberSection = (facts: LetterFacts): string => {
  const { key, report } = facts;
  const isName = (member: string): boolean => member === '_meta.authenticated_as';
  return section(
    'Members that moved',
    ...unreadText(facts),
    table(
      ['your member', 'of', 'now', 'sent', 'to do', 'why'],
      report.members.map(({ member, of, instead, to_do, remark }) => [
        markdownCode(member),
        of,
        isName(member) ? markdownCode(key.partner) : toMarkdown(instead, true),
        sent(instead === undefined ? undefined : isAlwaysSent(of, instead, pathsOf(facts))),
        proseMarkdown(to_do),
        proseMarkdown(remark),
      ]),
    ),
  );
};

const newSection = (facts: LetterFacts): string => {
  const { members_not_read: notRead } = facts.report;
  const added = newMembers(pathsOf(facts), factsOfAnswers(facts), notRead);
  const never = neverSent(pathsOf(facts), factsOfAnswers(facts));
  return section(
    'New members',
    `\`[]\` means every item of a list. "Always" means whenever the object that contains it is there. With ${facts.report.members.length === 0 ? '' : 'column `now` of "Members that moved" and '}"What stays the same" this table is complete: an object has no other members, except where it says that more keys may be added (leave these objects open).\n`,
    table(
      ['new member', 'of', 'sent', 'type', 'meaning'],
      added.map(({ path, of, isAlways, type, meaning }) => [
        markdownCode(path),
        of,
        sent(isAlways),
        type,
        meaning === '' ? none : meaning,
      ]),
    ),
    ...(never.length === 0
      ? []
      : [
          `Your key gets ${never.map((member) => markdownCode(member)).join(', ')} in neither form.`,
        ]),
  );
};

const staySection = ({ report }: LetterFacts): string =>
  section(
    'What stays the same',
    `- A member that ${report.members_not_read.length === 0 ? '' : 'your program reads and that '}is in neither table keeps its name, place, type and value, and is sent as often as today.`,
    '- The order of lists, the identifiers and order of songs, dates, times, tiers and numbers are the same. Unknown values are absent; only `meta.next_cursor` may be `null`.',
    '- The address, the paths that the table of calls does not change, and the header `Authorization` are the same.',
  );

/** Status and code of every refusal of the form that partners move to. */
const refusals = (): string =>
  [
    ...new Set(
      mapping.problems.flatMap(({ [to]: error }) =>
        error === undefined ? [] : [`${error.status} \`${error.code}\``],
      ),
    ),
  ].join(', ');

const errorSection = ({ report }: LetterFacts): string =>
  section(
    'Errors',
    `An error has the body \`{"error": {"code", "message", "request_id"}}\` instead of \`{"error", "message"}\`; the code is \`error.code\`. After 429 \`rate_limited\` and 503, wait \`Retry-After\` seconds and repeat the request, at most four times; after 429 \`quota_exceeded\`, stop: it lasts until the UTC day ends. Invalid parameters, which the ${from} form corrects, are refused with 400. A key that we do not know gets this body in both forms. All errors: ${refusals()}.\n`,
    changeTable(report.errors, tables.errors),
  );

const worstLine = ({ window, limit, worst }: RefusalReport): string[] =>
  worst.map(
    ({ starts_at, asked }) =>
      `- ${starts_at}: ${countOf(asked, 'request')} in ${windowNames[window]}, ${limit} of them granted.`,
  );

const quotaSection = ({ quota, key }: LetterFacts): string => {
  const limits = quota.quotas
    .map(({ limit, window }) => `${countOf(limit, 'request')} ${windowNames[window]}`)
    .join(' and ');
  const isShared = quota.quotas.some(({ subject }) => subject !== `key:${key.id}`);
  const whose = isShared ? 'shared by all keys of your organization' : 'for this key';
  const counted = isShared ? 'The requests of all these keys' : 'Its requests';
  const replayed = `${counted} from ${quota.since} to ${quota.until} (without \`/health\`, which is free), each call counted as the most requests it may take after the move: ${quota.would_refuse} of ${quota.asked} would have been refused with 429. The same applies to \`moving.py serve\`. Until we have moved the key, today's hourly quota applies, also with \`X-Envelope: ${to}\`.`;
  const busiest = quota.refusals.map(({ enough, window }) => `${enough} ${windowNames[window]}`);
  const enough = quota.refusals
    .filter(({ enough: needed, limit }) => needed > limit)
    .map(({ window, enough: needed }) => `${needed} ${windowNames[window]}`);
  const advice =
    quota.would_refuse === 0
      ? [`Your requests fit${quota.asked === 0 ? '' : `: at most ${busiest.join(' and ')}`}.`]
      : [
          'Spread these requests over more minutes, or ask us for a larger quota:',
          '',
          ...quota.refusals.flatMap(worstLine),
          '',
          `Without spreading you would need ${enough.join(' and ')}.`,
        ];
  return section('Your quota', `${limits}, ${whose}. ${replayed}\n`, ...advice);
};

const dateSection = ({ key, baseUrl, supportContact }: LetterFacts): string => {
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
    'Dates and questions',
    ...(lines.length === 0 ? ['No date is set.'] : lines),
    '',
    `Nothing${other} is switched off automatically: we move your key when you say so. More: <${baseUrl}/docs/migration>, <${baseUrl}/docs> and <${baseUrl}/openapi.json>.${supportContact === undefined ? '' : ` Questions: <${supportContact}>`}`,
  );
};

/**
 * Writes the letter to a partner in Markdown: what changes for its key, and nothing about any other
 * key or organization. The quota counts all keys of its organization when they share it. A person
 * or a coding agent carries it out with the program, the two lists and `moving.py` alone.
 */
export const writeLetter = (facts: LetterFacts): string =>
  [
    writeIntroduction,
    ...(facts.report.requests === 0 ? [] : [stepSection, decisionSection]),
    ...(facts.calls.length === 0 ? [] : [checkSection]),
    programSection,
    ...(facts.calls.length === 0 ? [] : [callSection]),
    otherSection,
    ...(movedMembers(facts.report).length === 0 ? [] : [memberSection, newSection, staySection]),
    errorSection,
    quotaSection,
    dateSection,
  ]
    .map((write) => write(facts))
    .filter((part) => part !== '')
    .join('\n');

const style = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word }
.table { margin: 1rem 0; overflow-x: auto } table { border-collapse: collapse; width: 100% } th, td { border: 1px solid #8888; padding: 4px 8px; text-align: left; vertical-align: top }
code, pre { font: 14px ui-monospace, monospace } pre { white-space: pre-wrap } .copy { display: none }
:root { color-scheme: light dark; background: light-dark(#ffffff, #12151c); color: light-dark(#1c2130, #e4e7ee) } a { color: light-dark(#3451c7, #8ea6ff) }
@media (width < 60rem) { table, tbody, tr, td { display: block } thead { display: none } tr { margin-bottom: 1rem }
td code { overflow-wrap: anywhere } td::before { content: attr(data-label); display: block; font-size: 14px; font-weight: 600 } }`;

/** The letter as one HTML page that loads nothing. */
export const letterHtml = (markdown: string, title: string): string =>
  renderDocument(title, html`<main>${renderMarkdown(markdown)}</main>`, { style, script: '' }).text;
