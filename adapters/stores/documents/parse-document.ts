import type { z } from 'zod';
import { groupBy } from '../../../src/domain/groups.ts';
import { type DocumentIssue, formatPath, type Parsed } from './parse-result.ts';

type MemberPath = readonly PropertyKey[];

/** The parts of a document that may be left out for an issue at a path, the smallest first. */
type RemovableParts = (path: MemberPath) => readonly MemberPath[];

const noPart: RemovableParts = () => [];

/** Any member, but no single item of a list: an incomplete list would pass for a complete one. */
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
 * Deeper than any member of a document: each attempt leaves out parts at least one level further
 * up.
 */
const maxAttempts = 6;

/** A copy of a value without its parts at these paths. */
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
 * Parses a document and leaves out the parts that its schema refuses, each with its issue
 * (decisions, "Freshness and caching"). The document is refused when it is not valid without them.
 * Valid documents are parsed once.
 *
 * @param removable by default no part may be left out
 */
export const parseDocument = <Model>(
  schema: z.ZodType<Model>,
  document: unknown,
  removable = noPart,
): Parsed<Model> => {
  /**
   * The issue of every part that was left out, also of those whose absence the schema refused then.
   */
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
        blocking ??= issue; // unless it is gone with the other parts
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
