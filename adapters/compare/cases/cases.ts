import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { comparedForms } from '../../../src/crosswalk/forms.ts';
import { problemRows } from '../../../src/crosswalk/problem-rows.ts';
import type { ProblemKind } from '../../../src/domain/problem.ts';

/** The kind of key of a case. With a running gateway only `full`, `none` and `unknown` can be used. */
export const keyKinds = [
  'full',
  'read',
  'editorial',
  'notes',
  'narrow',
  'plain',
  'tight',
  'daily',
  'revoked',
  'expired',
  'expiring',
  'suspended',
  'sunset',
  'override',
  'none',
  'unknown',
] as const;
export type KeyKind = (typeof keyKinds)[number];

const problem = z.custom<ProblemKind>(
  (value) => problemRows.some((row) => row.problem === value),
  'is not a kind of problem',
);

/** Selects items where the form has no filter for them. */
const itemCondition = z.strictObject({
  member: z.string(),
  is: z.string().optional(),
  isNot: z.string().optional(),
  absent: z.literal(true).optional(),
  /** Anywhere in the text, case-insensitive, as names are searched. */
  contains: z.string().optional(),
  /** A day: on it or later. */
  since: z.string().optional(),
  /** A day: on it or earlier. */
  until: z.string().optional(),
});

/** The least and the greatest value of each quantity that is measured of an artist, or of two points of a series. */
const border = z.record(z.string(), z.tuple([z.number(), z.number()]));

const caseSide = z.strictObject({
  /** Path and query below `/api/v1`, with placeholders. */
  ask: z.string().startsWith('/'),
  /** A request sent first; its `next_cursor` replaces `{cursor}`. */
  after: z.string().startsWith('/').optional(),
  method: z.string().default('GET'),
  headers: z.record(z.string(), z.string()).default({}),
  /** How often the request is sent; the last reply is compared. */
  times: z.int().min(2).max(20).optional(),
  /** Maximum number of pages. */
  pages: z.int().min(1).max(50).default(1),
  /** Only items that fulfil all conditions are compared. */
  keep: z.array(itemCondition).default([]),
  /** The expected problem. */
  problem: problem.optional(),
  notModified: z.literal(true).optional(),
  /** The expected entries of `X-Params-Adjusted`. */
  adjusted: z.array(z.string()).default([]),
  /** The expected form, when it is not the side's own. */
  served: z.enum(comparedForms).optional(),
  /** Expected header values, by name. */
  reads: z.record(z.string(), z.string()).default({}),
});

/** A side as a case file has it that gives nothing but its path. */
export const sideOf = (ask: string, more: Partial<CaseSide> = {}): CaseSide => ({
  ...caseSide.parse({ ask }),
  ...more,
});

const shortSide = z
  .string()
  .transform((ask) => ({ ask }))
  .pipe(caseSide);

const caseSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be words with hyphens'),
  asks: z.string(),
  /** The kind of items; `nothing` when no items are compared. */
  items: z.enum(['artists', 'spikes', 'signings', 'health', 'nothing']),
  current: z.union([shortSide, caseSide]),
  variant: z.union([shortSide, caseSide]),
  key: z.enum(keyKinds).default('full'),
  /** Whether it asks for history (current form), for `fields=basic` (variant form), for the detail instead of a list. */
  history: z.boolean().default(false),
  basic: z.boolean().default(false),
  detail: z.boolean().default(false),
  /** Repeats the case for this many artists from the top of the list. */
  each: z.int().min(1).max(50).optional(),
  /** Asks with the numbers of the first thing in the data that is at this border; skipped where there is none. */
  border: border.optional(),
  /** The options with which the example catalogue has something at the border, when it needs any. */
  example: z.string().optional(),
});

export type Border = z.output<typeof border>;
export type ItemCondition = z.output<typeof itemCondition>;
export type CaseSide = z.output<typeof caseSide>;
/** One question, as a request to each form. */
export type ComparisonCase = z.output<typeof caseSchema>;

const caseFile = z.array(caseSchema, 'must hold a JSON array of cases');

const readCaseFile = async (path: string): Promise<ComparisonCase[]> => {
  const text = await readFile(path, 'utf8');
  try {
    return caseFile.parse(JSON.parse(text));
  } catch (cause) {
    const [issue] = cause instanceof z.ZodError ? cause.issues : [];
    const reason = issue?.message ?? `is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`;
    const member = issue?.path.map(String).join('.') ?? '';
    throw new Error([path, member, reason].filter((part) => part !== '').join(': '), { cause });
  }
};

/** Every case of a folder, in the order of its files. Rejects with the file and the member when one is invalid. */
export const readCases = async (folder: string): Promise<readonly ComparisonCase[]> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
  const cases = (await Promise.all(files.map((file) => readCaseFile(join(folder, file))))).flat();
  const names = cases.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`${folder}: there are two cases named ${repeated}`);
  return cases;
};
