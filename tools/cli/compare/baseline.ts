import { existsSync } from 'node:fs';
import { plainLines } from '../../../adapters/text/plain-text.ts';
import { addDays, type Day, dayOf } from '../../../src/domain/day.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import {
  applyBaseline,
  baselineSchema,
  type ComparedWithBaseline,
  createBaseline,
  type KnownDifference,
} from '../../compare/baseline.ts';
import type { RunResult } from '../../compare/results.ts';
import { readJsonFile } from '../option-parsers.ts';
import { askLine } from '../terminal/confirm.ts';
import { note, UsageError } from '../terminal/messages.ts';
import type { CompareOptions } from './options.ts';
import { writeReport } from './report-file.ts';

/** How long a difference is accepted without `--until`, in days. */
const defaultDays = 90;

const today = (): Day => dayOf(systemClock().now());

const checkOptions = ({ baseline, writeBaseline, reason, until }: CompareOptions): void => {
  if (writeBaseline && baseline === undefined)
    throw new UsageError('--write-baseline needs --baseline.');
  if (!writeBaseline && (reason ?? until) !== undefined)
    throw new UsageError('--reason and --until go with --write-baseline.');
  if (until !== undefined && until < today())
    throw new UsageError(`--until is ${until}: it must not be in the past.`);
  if (writeBaseline && reason === undefined && !process.stdin.isTTY) {
    throw new UsageError('Not a terminal: give the reason with --reason.');
  }
};

/**
 * Reads the baseline; with `--write-baseline` the file may be missing. Rejects with a `UsageError`.
 */
export const readBaseline = async (
  options: CompareOptions,
): Promise<readonly KnownDifference[] | undefined> => {
  checkOptions(options);
  const { baseline: path, writeBaseline } = options;
  if (path === undefined) return undefined;
  if (writeBaseline && !existsSync(path)) return [];
  return readJsonFile(
    path,
    baselineSchema,
    'hold a JSON array of known differences, as --write-baseline writes it',
  );
};

/**
 * Takes the known differences out of a run. With `--write-baseline` the others are known, with one
 * reason and last day, and its file is written.
 */
export const compareWithBaseline = async (
  result: RunResult,
  baseline: readonly KnownDifference[] = [],
  options: CompareOptions,
): Promise<ComparedWithBaseline> => {
  const terms = {
    today: today(),
    isWhole: options.case.length === 0 && options.sample === undefined,
  };
  const compared = applyBaseline(result, baseline, terms);
  const { baseline: path, writeBaseline, until = addDays(terms.today, defaultDays) } = options;
  if (!writeBaseline || path === undefined) return compared;
  const reason = options.reason ?? (await askLine('Why are these differences accepted?'));
  if (reason.trim() === '') throw new UsageError('A baseline needs a reason. Nothing was written.');
  const entries = createBaseline(compared, { reason, until });
  await writeReport(path, `${plainLines(JSON.stringify(entries, null, 2))}\n`);
  note(`${entries.length} known differences: ${path}`);
  return applyBaseline(result, entries, terms);
};
