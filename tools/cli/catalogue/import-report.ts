import { cell } from '../../../adapters/text/plain-text.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import type { FoundErrors, InputError, InputWarning } from '../../import/input-errors.ts';
import type { OnUnread } from '../../import/input-files.ts';
import type { ListedChange } from '../../import/list-changes.ts';
import { type LevelCounts, noLevels } from '../../import/plan-import.ts';
import { note } from '../terminal/messages.ts';
import { type Column, printJson, printListing } from '../terminal/table.ts';

/** Warns of an ignored file in a folder whose name begins like a collection's. */
export const noteUnread: OnUnread = (path, reason) => note(`${path}: not read: ${reason}.`);

/** Errors and warnings listed on a terminal; `--json` lists up to 10,000 errors. */
const maxListed = 50;

const errorColumns: readonly Column<InputError>[] = [
  { title: 'file', show: ({ file }) => file },
  { title: 'line', show: ({ line }) => line },
  { title: 'id', show: ({ id }) => id },
  { title: 'name', show: ({ name }) => name },
  { title: 'member', show: ({ path }) => path },
  { title: 'why', show: ({ message }) => message },
];

export const printErrors = ({ errors }: Pick<FoundErrors, 'errors'>): void => {
  const ordered = errors.toSorted(
    (left, right) => left.file.localeCompare(right.file) || left.line - right.line,
  );
  printListing(ordered.slice(0, maxListed), errorColumns);
};

const errorJson = ({ file, line, id, name, path, message }: InputError) => ({
  file,
  line,
  ...(id && { id }),
  ...(name && { name }),
  member: path,
  reason: message,
});

const warningJson = (warning: InputWarning) => ({
  ...errorJson(warning),
  documents: warning.documents,
});

/** Errors and warnings as `--json` prints them. */
export const foundJson = ({ errors, warnings }: FoundErrors) => ({
  refused: errors.map(errorJson),
  warnings: warnings.map(warningJson),
});

const formatWarning = ({
  file,
  line,
  id,
  name,
  path,
  message,
  documents,
}: InputWarning): string => {
  if (line === 0) return cell(`Warning: ${file}: ${message}`);
  const others = documents > 1 ? ` (and ${documents - 1} more)` : '';
  return cell(
    `Warning: ${file} line ${line}${others}: ${[id, name].filter(Boolean).join(', ')}: ${path} ${message}`,
  );
};

export const noteWarnings = <Warning>(
  warnings: readonly Warning[],
  format: (warning: Warning) => string,
): void => {
  for (const warning of warnings.slice(0, maxListed)) note(format(warning));
  if (warnings.length > maxListed)
    note(`${warnings.length - maxListed} more warnings are listed by --json.`);
};

export const printWarnings = ({ warnings }: FoundErrors): void =>
  noteWarnings(warnings, formatWarning);

export const countErrors = ({ total, documents, isCut }: FoundErrors): string => {
  const counted = `${countOf(total, 'error')} in ${countOf(documents, 'document')}`;
  return isCut ? `${counted}, and the rest was not read` : counted;
};

export const formatRefusal = (found: FoundErrors): string => {
  const hidden = found.errors.length - maxListed;
  const more = hidden > 0 ? ` (${hidden} more are listed by --json)` : '';
  const them = found.total === 1 ? 'it' : 'them';
  return `${countErrors(found)}${more}: nothing was written. Correct ${them} and run it again.`;
};

export const maxListedChanges = 20;

const valueText = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));

const changeColumns: readonly Column<ListedChange>[] = [
  { title: 'change', show: ({ change }) => change },
  { title: 'collection', show: ({ collection }) => collection },
  { title: 'document', show: ({ document }) => document },
  { title: 'member', show: ({ member }) => member },
  { title: 'old', show: ({ old }) => valueText(old) },
  { title: 'new', show: (one) => valueText(one.new) },
];

export const printChanges = (changes: readonly ListedChange[], total: number): void => {
  if (total === 0) return;
  printListing(changes.slice(0, maxListedChanges), changeColumns);
  if (total > maxListedChanges)
    note(`${countOf(total - maxListedChanges, 'more change')}: --json lists all.`);
};

/** Says which number a removal of more than a tenth of a collection needs; `undefined` if none. */
export const describeMassRemoval = (
  counts: LevelCounts,
  pruneAtMost: number,
): string | undefined => {
  const parts = (['artists', 'series', 'days', 'labels'] as const).flatMap((level) => {
    const { changed, touched, unchanged, kept, removed } = counts[level];
    const stored = changed + touched + unchanged + kept + removed;
    return removed > stored / 10 ? [{ removed, text: `${removed} of ${stored} ${level}` }] : [];
  });
  const most = Math.max(0, ...parts.map(({ removed }) => removed));
  if (most <= pruneAtMost) return undefined;
  const what = joinParts(parts.map(({ text }) => text));
  return `--prune removes ${what}, more than a tenth: it needs --prune-at-most ${most}.`;
};

/** Prints with `json` the counts of an import or a dry run; without a plan the errors. */
export const printCounts = (
  found: FoundErrors,
  json: boolean,
  counts?: LevelCounts,
  changes?: readonly ListedChange[],
): void => {
  if (json)
    printJson({ ...(counts ?? noLevels), ...foundJson(found), ...(changes && { changes }) });
  else if (counts === undefined) printErrors(found);
};

/** Joins parts that say something: `3 artists, 22 days and 2 members`. */
const joinParts = (parts: readonly (string | false)[]): string =>
  parts
    .filter((part) => part !== false)
    .join(', ')
    .replace(/, ([^,]+)$/, ' and $1');

/** Formats what the input does not have, level by level: empty where it has everything. */
const formatExtra = (counts: LevelCounts, what: 'kept' | 'removed'): string => {
  const { artists, series, days, members, labels, orphans } = counts;
  const gone = orphans[what] > 0 ? ` (${orphans[what]} of an artist or a song that is gone)` : '';
  return joinParts([
    artists[what] > 0 && countOf(artists[what], 'artist'),
    series[what] > 0 && `${series[what]} series${gone}`,
    days[what] > 0 && countOf(days[what], 'day'),
    members[what] > 0 && countOf(members[what], 'member'),
    labels[what] > 0 && countOf(labels[what], 'label'),
  ]);
};

export const formatRemovals = (counts: LevelCounts): string => formatExtra(counts, 'removed');

/**
 * Formats what an import does in words: `changed 3 artists and 22 days of 1 series; kept 61 days
 * and 2 members that the input does not have`.
 */
export const formatCounts = (counts: LevelCounts): string => {
  const { artists, series, days, labels } = counts;
  const written = days.created + days.changed;
  const ofSeries = `${series.changed} series`;
  const added = joinParts([
    artists.created > 0 && countOf(artists.created, 'artist'),
    series.created > 0 && `${series.created} series`,
    labels.created > 0 && countOf(labels.created, 'label'),
  ]);
  const changed = joinParts([
    artists.changed > 0 && countOf(artists.changed, 'artist'),
    series.changed > 0 && (written > 0 ? `${countOf(written, 'day')} of ${ofSeries}` : ofSeries),
    labels.changed > 0 && countOf(labels.changed, 'label'),
  ]);
  const [removed, kept] = [formatExtra(counts, 'removed'), formatExtra(counts, 'kept')];
  const parts = [
    added !== '' && `added ${added}`,
    changed !== '' && `changed ${changed}`,
    removed !== '' && `removed ${removed}`,
    kept !== '' && `kept ${kept} that the input does not have`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'changed nothing' : parts.join('; ');
};
