import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { type CompareKeys, readCompareKeys } from '../../src/runtime/config.ts';
import type { ComparisonCase } from '../compare/cases/cases.ts';
import type { IdPair } from '../compare/targets/running-target.ts';
import { UsageError } from './terminal/usage-error.ts';

/** Parsers for the options of `compare` and the files that they name. An invalid value is a usage error. */

export const readBaseUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '') return url;
  throw new InvalidArgumentError('It must be an http:// or https:// address without credentials and query.');
};

export const readInstant = (text: string): number => {
  if (z.iso.datetime({ offset: true }).safeParse(text).success) return Date.parse(text);
  throw new InvalidArgumentError('It must be an ISO 8601 instant, like 2026-08-22T12:00:00Z.');
};

const readJsonFile = async <Schema extends z.ZodType>(path: string, schema: Schema, what: string) => {
  const reject = (cause: unknown): never => {
    throw new UsageError(`${path}: must hold ${what}.`, { cause });
  };
  const text = await readFile(path, 'utf8').catch(reject);
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    return reject(cause);
  }
};

const key = z.string().min(1).optional();
const keysSchema = z.strictObject({ current: key, variant: key, override: key });

/** The keys of a comparison, from the file or else from the environment. */
export const readKeys = async (path: string | undefined): Promise<CompareKeys> => {
  const { current, variant, override } =
    path === undefined
      ? readCompareKeys()
      : await readJsonFile(path, keysSchema, 'a JSON object with keys as current, variant or override');
  const keys = { current, variant, override };
  if (override !== undefined || (current !== undefined && variant !== undefined)) return keys;
  throw new UsageError(
    'Keys are missing: set CURRENT_KEY and VARIANT_KEY, or OVERRIDE_KEY for one key with the envelope override, or name a file with --keys-file.',
  );
};

const pairsSchema = z.array(z.strictObject({ current: z.string().min(1), variant: z.string().min(1) }));

/** Pairs of identifiers; none without a file. */
export const readPairs = async (path: string | undefined): Promise<readonly IdPair[]> =>
  path === undefined
    ? []
    : readJsonFile(path, pairsSchema, 'a JSON array of pairs of identifiers: {"current": "…", "variant": "…"}');

/** The cases with these names; all cases without names. */
export const chooseCases = (cases: readonly ComparisonCase[], names: readonly string[]): readonly ComparisonCase[] => {
  const unknown = names.find((name) => cases.every((one) => one.name !== name));
  if (unknown !== undefined) throw new UsageError(`There is no case ${unknown}.`);
  return names.length === 0 ? cases : cases.filter(({ name }) => names.includes(name));
};
