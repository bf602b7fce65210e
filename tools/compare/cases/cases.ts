import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ProblemKind } from '../../../src/domain/problem.ts';
import { comparedForms } from '../../migration/mapping/forms.ts';
import { problemRows } from '../../migration/mapping/problem-rows.ts';
import { keyKinds } from '../targets/ephemeral-keys.ts';

/**
 * Raised while a case runs, when it turns out that it cannot be asked or compared. The message says
 * why, after "because".
 */
export class CaseSkipped extends Error {}

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
  contains: z.string().optional(),
  since: z.string().optional(),
  until: z.string().optional(),
});

/**
 * Minimum and maximum of each quantity. `boundaries.ts` measures the quantities of an artist, or of
 * two points of a series.
 */
const boundary = z.record(z.string(), z.tuple([z.number(), z.number()]));

const caseSide = z.strictObject({
  /** Path and query below `/api/v1`, with placeholders. */
  ask: z.string().startsWith('/'),
  /** A request sent first; its `next_cursor` replaces `{cursor}`. */
  after: z.string().startsWith('/').optional(),
  method: z.string().default('GET'),
  headers: z.record(z.string(), z.string()).default({}),
  /** How often the request is sent; the last reply is compared. */
  times: z.int().min(2).max(20).optional(),
  pages: z.int().min(1).max(50).default(1),
  keep: z.array(itemCondition).default([]),
  problem: problem.optional(),
  /** A 304 is expected. */
  notModified: z.literal(true).optional(),
  /** Parameters that the form replaces, with the value that it uses: `limit=200`. */
  adjusted: z.array(z.string()).default([]),
  /** The form of the response, if it is not the requested one. */
  served: z.enum(comparedForms).optional(),
  /** Expected values of headers. */
  reads: z.record(z.string(), z.string()).default({}),
});

export const createSide = (ask: string, more: Partial<CaseSide> = {}): CaseSide => ({
  ...caseSide.parse({ ask }),
  ...more,
});

const shortOrWholeSide = z.preprocess(
  (given) => (typeof given === 'string' ? { ask: given } : given),
  caseSide,
);

const caseSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be words with hyphens'),
  asks: z.string(),
  items: z.enum(['artists', 'spikes', 'signings', 'health', 'nothing']),
  current: shortOrWholeSide,
  variant: shortOrWholeSide,
  key: z.enum(keyKinds).default('full'),
  /** Repeats the case for this many artists from the top of the list. */
  each: z.int().min(1).max(50).optional(),
  boundary: boundary.optional(),
  example: z.string().optional(),
});

export type Boundary = z.output<typeof boundary>;
export type ItemCondition = z.output<typeof itemCondition>;
export type CaseSide = z.output<typeof caseSide>;
/** One question, as a request to each form. */
export type ComparisonCase = z.output<typeof caseSchema>;

const caseFile = z.array(caseSchema);

const readCaseFile = async (path: string): Promise<ComparisonCase[]> => {
  const text = await readFile(path, 'utf8');
  try {
    return caseFile.parse(JSON.parse(text));
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new Error(`${path}: ${reason}`, { cause });
  }
};

/** Every case of folders, in the order of their files. Rejects when one is invalid. */
export const readCases = async (
  ...folders: readonly string[]
): Promise<readonly ComparisonCase[]> => {
  const cases: ComparisonCase[] = [];
  for (const folder of folders)
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.json')).sort())
      for (const one of await readCaseFile(join(folder, file))) {
        if (cases.some(({ name }) => name === one.name))
          throw new Error(`${folder}: there are two cases named ${one.name}`);
        cases.push(one);
      }
  return cases;
};
