import { existsSync } from 'node:fs';
import { plainLines } from '../../../adapters/text/plain-text.ts';
import { addDays, dayOf } from '../../../src/domain/day.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import {
  applyBaseline,
  baselineSchema,
  type ComparedWithBaseline,
  createBaseline,
  type KnownDifference,
} from '../../compare/baseline.ts';
import type { RunResult } from '../../compare/results.ts';
import type { RunVerdict } from '../../compare/verdict.ts';
import { readJsonFile } from '../option-parsers.ts';
import { checkWritable, writeReport } from '../report-file.ts';
import { note, UsageError } from '../terminal/messages.ts';
import type { CompareOptions } from './options.ts';

/** How long a difference is accepted, in days. */
const defaultDays = 90;

const checkOptions = ({ baseline, writeBaseline, reason }: CompareOptions): void => {
  if (writeBaseline && (baseline === undefined || reason === undefined))
    throw new UsageError('--write-baseline needs --baseline and --reason.');
  if (!writeBaseline && reason !== undefined)
    throw new UsageError('--reason goes with --write-baseline.');
};

interface Baseline {
  readonly known: readonly KnownDifference[];
  /** With `--write-baseline` alone. */
  readonly reason?: string;
}

/**
 * Reads the baseline. With `--write-baseline` the file may be missing, and must be writable before
 * the run. Rejects with one sentence.
 */
export const readBaseline = async (options: CompareOptions): Promise<Baseline> => {
  checkOptions(options);
  const { baseline: path, writeBaseline, reason } = options;
  if (path === undefined) return { known: [] };
  const must = 'hold a JSON array of known differences, as --write-baseline writes it';
  const isNew = writeBaseline === true && !existsSync(path);
  const known = isNew ? [] : await readJsonFile(path, baselineSchema, must);
  if (reason === undefined) return { known };
  await checkWritable(path);
  return { known, reason };
};

interface BaselineComparison {
  readonly compared: ComparedWithBaseline;
  readonly entries?: readonly KnownDifference[];
}

/**
 * Takes the known differences out of a run. With `--write-baseline` the others are known, with one
 * reason.
 */
export const compareWithBaseline = (
  result: RunResult,
  { known, reason }: Baseline,
): BaselineComparison => {
  const today = dayOf(systemClock().now());
  const compared = applyBaseline(result, known, today);
  if (reason === undefined) return { compared };
  const entries = createBaseline(compared, { reason, until: addDays(today, defaultDays) });
  return { compared: applyBaseline(result, entries, today), entries };
};

/**
 * Writes the entries of a run, after its reports, which must not be lost if this fails. A run that
 * compared nothing writes none: it would drop every entry whose cases found no item.
 */
export const saveBaseline = async (
  entries: readonly KnownDifference[],
  path: string,
  { kind }: RunVerdict,
): Promise<void> => {
  if (kind === 'nothing') return note(`The baseline was not written: ${path}`);
  await writeReport(path, `${plainLines(JSON.stringify(entries, null, 2))}\n`);
  note(`${entries.length} known differences: ${path}`);
};
