import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import {
  notJson,
  type RawDocument,
  toUtf8,
} from '../../adapters/stores/documents/document-file.ts';
import { type DocumentIssue, formatPath } from '../../adapters/stores/documents/parse-result.ts';
import { redactKeyTexts } from '../../src/keys/key-format.ts';
import { documentRules } from './document-rules.ts';
import type { CatalogueCollection } from './input-files.ts';
import { findInexact } from './json-text.ts';
import { isPlain } from './to-stored.ts';
import { visitMembers } from './visit-members.ts';

/** Maximum errors reported for one document: a series may have thousands of points. */
const maxIssues = 20;

/** Compiled schemas accept faster. zod parses rejected documents again for the issues. */
const compiledRules = {
  artists: z.compile(documentRules.artists, { strict: true }),
  history: z.compile(documentRules.history, { strict: true }),
  labels: z.compile(documentRules.labels, { strict: true }),
};

const ofDocument = (message: string): DocumentIssue => ({ path: 'document', message });

const anArray = ofDocument('is an array: take the documents out of it with jq -c ".[]"');

const ruleIssues = (collection: CatalogueCollection, value: unknown): readonly DocumentIssue[] => {
  const found = compiledRules[collection].safeParse(value).error?.issues ?? [];
  const issues = found.map(({ path, message }) => ({ path: formatPath(path), message }));
  const seen = new Set<string>();
  // a text that is not a day breaks two rules of a day
  return issues.filter(({ path }) => !seen.has(path) && seen.add(path));
};

/**
 * Maximum bytes of a document's text. MongoDB stores up to 16 MB, and stores a document with the
 * maximum number of elements in less than twice its text.
 */
export const maxDocumentBytes = 8 * 2 ** 20;

const tooLong = 'is longer than 8 MB: a longer text might not fit into a MongoDB document';

const shorten = (issues: readonly DocumentIssue[]): readonly DocumentIssue[] =>
  issues.length <= maxIssues
    ? issues
    : [...issues.slice(0, maxIssues), ofDocument(`has ${issues.length - maxIssues} more errors`)];

/**
 * Converts relaxed and canonical extended JSON. Times keep their milliseconds, which `todate`
 * omits.
 */
const plainJson = String.raw`jq -c 'walk(if type != "object" then . elif has("$date") then .["$date"] | if type == "number" then "\(. / 1000 | floor | todate[:-1]).\(. % 1000 + 1000 | tostring[-3:])Z" else . end else .["$oid"] // first(.["$numberInt", "$numberLong", "$numberDouble", "$numberDecimal"] | tonumber?) // . end)'`;

const extendedIssue = ([path = '', ...others]: readonly string[]): DocumentIssue => {
  const members = others.length > 0 ? ` (with ${others.length} other members)` : '';
  const message = `is extended JSON, as mongoexport writes it${members}; make it plain with ${plainJson}`;
  return { path, message };
};

const parseInput = (text: string): { readonly value?: unknown; readonly issue?: DocumentIssue } => {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { issue: notJson(error, text) };
  }
};

/** The issue of bytes that are not UTF-8, with the text around the first. */
const encodingIssue = (bytes: Buffer): DocumentIssue => {
  const text = redactKeyTexts(bytes.toString('utf8'));
  const at = Math.max(text.indexOf('\ufffd'), 0);
  const near = JSON.stringify(text.slice(Math.max(0, at - 12), at + 8));
  return ofDocument(`is not UTF-8 (near ${near}): ${toUtf8}`);
};

/**
 * Checks one document of the input, and returns all its errors. The value is `undefined` if it is
 * not a JSON object.
 *
 * @param latestDay the last day without a warning for days in the future
 */
export const checkDocument = (
  collection: CatalogueCollection,
  { bytes, problem }: Pick<RawDocument, 'bytes' | 'problem'>,
  latestDay = '9999-12-31',
) => {
  const unreadable = problem ?? (bytes.length > maxDocumentBytes ? tooLong : undefined);
  if (unreadable !== undefined)
    return { value: undefined, issues: [ofDocument(unreadable)], warnings: [] };
  const text = bytes.toString('utf8');
  const { value: parsed, issue } = parseInput(text);
  const value = isPlain(parsed) ? parsed : undefined;
  if (!isUtf8(bytes)) return { value, issues: [encodingIssue(bytes)], warnings: [] };
  if (issue !== undefined) return { value, issues: [issue], warnings: [] };
  if (Array.isArray(parsed)) return { value, issues: [anArray], warnings: [] };
  const { extended, warnings, ...found } = visitMembers(
    parsed,
    documentRules[collection],
    latestDay,
  );
  if (extended.length > 0) return { value, issues: [extendedIssue(extended)], warnings };
  // each element may have several issues
  const ruled = found.hasTooManyElements ? [] : ruleIssues(collection, parsed);
  const inexact = found.hasTooManyElements ? [] : findInexact(text);
  // such a number breaks a rule of its member as the number that it would become
  const others = ruled.filter((issue) => !inexact.some(({ path }) => path === issue.path));
  const issues = [...others, ...found.issues, ...inexact];
  return { value, issues: shorten(issues), warnings };
};
