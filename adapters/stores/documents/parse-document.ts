import type { z } from 'zod';
import { groupBy } from '../../../src/domain/groups.ts';
import { type DocumentIssue, formatPath, type Parsed } from './parse-result.ts';

type MemberPath = readonly PropertyKey[];

/** The parts of a document that can be left out for an issue at a path, the smallest first. */
type RemovableParts = (path: MemberPath) => readonly MemberPath[];

const noPart: RemovableParts = () => [];

/** Any field, but no single list item: an incomplete list could pass for a complete one. */
export const anyMember: RemovableParts = (path) =>
  path
    .map((_, index) => path.slice(0, path.length - index))
    .filter((part) => typeof part.at(-1) !== 'number');

/** Only whole items of this list of the document. */
export const itemsOf =
  (list: string): RemovableParts =>
  (path) =>
    path[0] === list && path.length > 1 ? [path.slice(0, 2)] : [];

const notValid: DocumentIssue = { path: 'document', message: 'is not valid' };

/**
 * More than the depth of any field of a document: each attempt leaves out parts at least one level
 * higher.
 */
const maxAttempts = 6;

/** Copies a value without its parts at these paths. */
const without = (value: unknown, paths: readonly MemberPath[]): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const inside = groupBy(paths, ([first]) => String(first));
  const remaining = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const parts = inside.get(name)?.map(([, ...rest]) => rest) ?? [];
    if (parts.some((part) => part.length === 0)) return [];
    return [[name, parts.length === 0 ? member : without(member, parts)]];
  });
  return Array.isArray(value) ? remaining.map(([, item]) => item) : Object.fromEntries(remaining);
};

/**
 * Parses a document and leaves out the parts that its schema rejects, each with its issue
 * (decisions, "Freshness and caching"). Rejects the document if it is invalid without them. Parses
 * valid documents only once.
 *
 * @param removable by default no part can be left out
 */
export const parseDocument = <Model>(
  schema: z.ZodType<Model>,
  document: unknown,
  removable = noPart,
): Parsed<Model> => {
  /** The issue of every part left out, even if the schema then rejected its absence. */
  const issues = new Map<string, DocumentIssue>();
  const leftOut = new Map<string, DocumentIssue>();
  let rest = document;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const result = schema.safeParse(rest);
    if (result.success) {
      return { model: result.data, ...(leftOut.size > 0 && { leftOut: [...leftOut.values()] }) };
    }
    const before = new Map(issues); // a part may have several issues
    const parts: MemberPath[] = [];
    let blocking: DocumentIssue | undefined;
    for (const { path, message } of result.error.issues) {
      const text = formatPath(path);
      const issue = before.get(text) ?? { path: text, message };
      const part = removable(path).find((one) => !before.has(formatPath(one)));
      if (part === undefined) {
        blocking ??= issue; // it may disappear with the other parts
        continue;
      }
      leftOut.delete(text);
      for (const known of [issues, leftOut]) known.set(formatPath(part), issue);
      parts.push(part);
    }
    if (parts.length === 0) return { issue: blocking ?? notValid };
    rest = without(rest, parts);
  }
  return { issue: notValid };
};
