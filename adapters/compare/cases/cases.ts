import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { problemRows } from '../../../src/crosswalk/problems-rows.ts';
import { formNames } from '../../../src/domain/caller.ts';
import type { ProblemKind } from '../../../src/domain/problem.ts';

/** What the key of a case is like. Only `full`, `none` and `unknown` can be had of a gateway that runs somewhere. */
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
  'suspended',
  'sunset',
  'override',
  'none',
  'unknown',
] as const;
export type KeyKind = (typeof keyKinds)[number];

const problemKinds: readonly ProblemKind[] = problemRows.map(({ problem }) => problem);
const problem = z.custom<ProblemKind>((value) => problemKinds.some((kind) => kind === value), 'is no kind of problem');

/** Which items of an answer are meant, when the form itself cannot be asked for them. */
const condition = z.strictObject({
  member: z.string(),
  is: z.string().optional(),
  isNot: z.string().optional(),
  absent: z.literal(true).optional(),
  /** As names are searched: anywhere, without regard to case. */
  contains: z.string().optional(),
  /** A day: on it or later. */
  since: z.string().optional(),
});

const side = z.strictObject({
  /**
   * Path and query below `/api/v1`. `{id}` `{other-id}` `{name}` `{NAME}` `{small-name}` `{tier}` stand for an
   * artist's, `{today-7}` for a day.
   */
  ask: z.string().startsWith('/'),
  /** Asked before; its `next_cursor` stands for `{cursor}`. */
  after: z.string().startsWith('/').optional(),
  method: z.string().default('GET'),
  headers: z.record(z.string(), z.string()).default({}),
  /** How often it is asked; the last reply counts. */
  times: z.int().min(2).max(20).optional(),
  /** How many pages are followed. */
  pages: z.int().min(1).max(50).default(1),
  /** Only these items are compared. All conditions must hold. */
  keep: z.array(condition).default([]),
  /** The problem that must be the answer. */
  problem: problem.optional(),
  notModified: z.literal(true).optional(),
  /** What `X-Params-Adjusted` must say. */
  adjusted: z.array(z.string()).default([]),
  /** The form that must be served, when it is not the side's own. */
  served: z.enum(formNames).optional(),
  /** What a header must read, by its name. */
  reads: z.record(z.string(), z.string()).default({}),
});

const shortSide = z
  .string()
  .transform((ask) => ({ ask }))
  .pipe(side);

const caseSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be words with hyphens'),
  asks: z.string(),
  /** What the items are; `nothing` when the two answers have none to compare. */
  items: z.enum(['artists', 'spikes', 'signings', 'health', 'nothing']),
  current: z.union([shortSide, side]),
  variant: z.union([shortSide, side]),
  key: z.enum(keyKinds).default('full'),
  /** Asked for: history in the current form, `fields=basic` in the variant form, the detail instead of a list. */
  history: z.boolean().default(false),
  basic: z.boolean().default(false),
  detail: z.boolean().default(false),
  /** Asked for each of so many artists from the top of the list. */
  each: z.int().min(1).max(50).optional(),
});

export type Condition = z.output<typeof condition>;
export type SideOfCase = z.output<typeof side>;
/** One question, put to each form in its own words. */
export type ComparisonCase = z.output<typeof caseSchema>;

const readCaseFile = async (path: string): Promise<ComparisonCase[]> => {
  const parsed = z.array(caseSchema).safeParse(JSON.parse(await readFile(path, 'utf8')));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${path}: ${issue?.path.map(String).join('.')}: ${issue?.message}`);
};

/** Every case of a folder, in the order of its files. Rejects with the file and the member when one cannot be understood. */
export const readCases = async (folder: string): Promise<readonly ComparisonCase[]> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
  const cases = (await Promise.all(files.map((file) => readCaseFile(join(folder, file))))).flat();
  const names = cases.map(({ name }) => name);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw new Error(`${folder}: there are two cases named ${twice}`);
  return cases;
};
