import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forms } from '../../../adapters/forms/forms.ts';
import { markdownCode, markdownTable as table } from '../../../adapters/text/markdown.ts';
import { plainText } from '../../../adapters/text/plain-text.ts';
import type { KeyRecord } from '../../../src/domain/caller.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import { countOf, formatInstant, sum } from '../../../src/domain/quantities.ts';
import { docsFolder } from '../../../src/runtime/folders.ts';
import { requestedMove } from '../../migration/evidence.ts';
import type { KeyReport } from '../../migration/key-report.ts';
import { mapping } from '../../migration/mapping/mapping.ts';
import { changedHeaders } from '../../migration/mapping/rows.ts';
import type { QuotaReport } from '../../migration/quota-report.ts';
import { windowNames } from '../policy.ts';
import { effectDelay } from '../settings.ts';
import { quotedWord } from '../terminal/shell-word.ts';
import { none } from '../terminal/table.ts';
import { callCells, callTitles, checkedLine } from './call-cells.ts';
import type { MeasuredCall } from './measure-calls.ts';
import { proseMarkdown } from './prose.ts';

interface GuideFacts {
  readonly key: KeyRecord;
  readonly report: KeyReport;
  readonly quota: QuotaReport;
  /** The days of usage that the report is about. */
  readonly days: number;
  readonly calls: readonly MeasuredCall[];
  readonly artists: number;
  readonly baseUrl: string;
  readonly supportContact: string | undefined;
}

const { from, to } = requestedMove;

const requestsADay = (perDay: number): string =>
  perDay < 0.5 ? 'less than one a day' : `about ${Math.round(perDay)} a day`;

const seenText = ({ report, days }: GuideFacts): string => {
  const { requests, tried, calls_a_day, last_at } = report;
  const period = countOf(days, 'day');
  const inTo = `${countOf(tried.requests, 'request')} in the ${to} form`;
  if (requests > 0)
    return `In ${period} we saw ${countOf(requests, 'request')} of this key in the ${from} form, the last at ${last_at}, and ${inTo}: ${requestsADay(calls_a_day)}.`;
  return tried.requests > 0
    ? `In ${period} we saw ${inTo} and none in the ${from} form.`
    : `We saw no requests of this key in ${period}, so this guide cannot list its calls. Tell us if you still use it.`;
};

const costText = ({ calls, report }: GuideFacts): string => {
  const after = sum(calls.map(({ after: { requests } }) => requests));
  return `All these calls, once each, take ${countOf(calls.length, 'request')} today and ${after} after the move; ${requestsADay(report.calls_a_day)} become at most ${requestsADay(report.calls_a_day_after)}.`;
};

const ignoredRows = ({ report }: GuideFacts): readonly (readonly string[])[] => {
  const paths = new Set(
    report.calls.flatMap(({ call }) => (/[?&]\*$/.test(call) ? (call.split('?')[0] ?? []) : [])),
  );
  return mapping.parameters.flatMap((row) => {
    const { [from]: known, [to]: taken } = row;
    if (taken === undefined || known?.name === taken.name || !paths.has(taken.path)) return [];
    const route = factsOfForm(forms, to).routes.find(({ path }) => path === `/api/v1${taken.path}`);
    const { description = '' } = route?.contract.query?.shape[taken.name] ?? {};
    return [[markdownCode(`${taken.path}?${taken.name}=`), description]];
  });
};

/** The fields that moved; empty if no response had any. */
const fieldTable = ({ key, report }: GuideFacts): string =>
  table(
    ['field today', 'of', 'after the move', 'to do', 'why'],
    report.fields.map(({ field, of, instead, to_do, why }) => [
      markdownCode(field),
      of,
      field === '_meta.authenticated_as'
        ? markdownCode(key.partner)
        : instead === undefined
          ? none
          : markdownCode(instead),
      proseMarkdown(to_do),
      proseMarkdown(why),
    ]),
  );

const quotaValues = ({ quota, key }: GuideFacts) => {
  const limits = quota.quotas
    .map(({ limit, window }) => `${countOf(limit, 'request')} ${windowNames[window]}`)
    .join(' and ');
  const isShared = quota.quotas.some(({ subject }) => subject !== `key:${key.id}`);
  const whose = isShared ? 'shared by all keys of your organization' : 'for this key';
  const isOver = quota.would_refuse > 0;
  return {
    quota: `${limits}, ${whose}.`,
    replaySince: quota.since ?? none,
    replayUntil: quota.until ?? none,
    wouldRefuse: String(quota.would_refuse),
    asked: String(quota.asked),
    enough: quota.refusals
      .filter(({ enough, limit }) => enough > limit)
      .map(({ window, enough }) => `${enough} ${windowNames[window]}`)
      .join(' and '),
    worst: !isOver
      ? ''
      : table(
          ['from', 'requests', 'granted'],
          quota.refusals.flatMap(({ window, limit, worst }) =>
            worst.map(({ starts_at = none, asked }) => [
              starts_at,
              `${asked} in ${windowNames[window]}`,
              String(limit),
            ]),
          ),
        ),
  };
};

const dateTable = ({ key }: GuideFacts): string => {
  const successor =
    key.replacedBy === undefined
      ? 'Ask us for its successor before.'
      : `Key ${markdownCode(key.replacedBy)} replaces it.`;
  const rows = [
    [formatInstant(key.deprecatedAt), `The ${from} form is deprecated for your key.`],
    [key.sunset, `Support for the ${from} form ends for your key.`],
    [formatInstant(key.expiresAt), `Your key expires. ${successor}`],
  ].flatMap(([date, what = '']) => (date === undefined ? [] : [[date, what]]));
  return table(['date', 'what'], rows) || 'No date is set.';
};

/** The named values of the template. A section of the template is left out if its value is empty. */
const valuesOf = (facts: GuideFacts): Readonly<Record<string, string>> => {
  const { key, report, calls, artists, baseUrl, supportContact } = facts;
  const partner = plainText(key.partner);
  const changed = report.calls.filter(({ instead }) => instead !== undefined).length;
  const codes = mapping.problems.flatMap(({ [to]: error }) =>
    error === undefined ? [] : [`${error.status} \`${error.code}\``],
  );
  return {
    partner: proseMarkdown(partner),
    partnerWord: /^[\w./:-]+$/.test(partner) ? partner : quotedWord(partner),
    key: key.id,
    nextKey: key.replacedBy ?? key.id,
    url: baseUrl,
    contact: supportContact === undefined ? 'us' : `<${supportContact}>`,
    deadline:
      key.sunset === undefined
        ? 'No end date is set.'
        : `Support for the ${from} form ends for this key on ${key.sunset}.`,
    delay: effectDelay(),
    trial: key.allowEnvelopeOverride
      ? 'Your key may request the current form today.'
      : 'Ask us to let your key request the current form.',
    seen: seenText(facts),
    changes:
      report.changes === 0
        ? ''
        : `${countOf(changed, 'call')} and ${countOf(report.fields.length, 'field')}`,
    checkLines: calls.map(checkedLine).join('\n'),
    artists: countOf(artists, 'artist'),
    callTable: table(callTitles, calls.map(callCells)),
    cost: costText(facts),
    unnamed:
      report.unnamed === 0
        ? ''
        : ` ${countOf(report.unnamed, 'request')} of more kinds are not in the table.`,
    ignoredTable: table(['parameter', 'in the current form'], ignoredRows(facts)),
    fieldTable: fieldTable(facts),
    headerTable: table(
      ['header', 'change', 'meaning'],
      changedHeaders(mapping.headers).map(({ name, change, reason }) => [
        markdownCode(name),
        change,
        proseMarkdown(reason),
      ]),
    ),
    codes: [...new Set(codes)].join(', '),
    errorTable: table(
      ['status', 'requests', 'last', 'in the current form'],
      report.errors.map(({ status, requests, last_day = none, instead }) => [
        String(status),
        String(requests),
        last_day,
        proseMarkdown(instead.join(' or ') || none),
      ]),
    ),
    ...quotaValues(facts),
    dates: dateTable(facts),
  };
};

/**
 * Fills a template: `{{name}}` is a value, and `{{#name}}` … `{{/name}}`, each a line of its own,
 * is left out if the value is empty.
 */
const fill = (template: string, values: Readonly<Record<string, string>>): string => {
  const valueNamed = (name: string): string => {
    const value = values[name];
    if (value === undefined) throw new Error(`The migration guide has no value ${name}.`);
    return value;
  };
  return template
    .replaceAll(
      /^\{\{#(\w+)\}\}\n([\s\S]*?)\{\{\/\1\}\}\n/gm,
      (_all, name: string, part: string) => (valueNamed(name) === '' ? '' : part),
    )
    .replaceAll(/\{\{(\w+)\}\}/g, (_all, name: string) => valueNamed(name))
    .replaceAll(/\n{3,}/g, '\n\n');
};

/**
 * The migration guide for a key in Markdown: `docs/site/migration-guide.md` with the values of this
 * key. It names no other key or organization; the quota counts all keys that share it.
 */
export const writeGuide = async (facts: GuideFacts): Promise<string> =>
  fill(await readFile(join(docsFolder, 'site/migration-guide.md'), 'utf8'), valuesOf(facts));
