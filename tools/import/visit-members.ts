import { toUSVString } from 'node:util';
import leven from 'leven';
import { z } from 'zod';
import type { DocumentIssue } from '../../adapters/stores/documents/parse-result.ts';
import type { Day } from '../../src/domain/day.ts';
import { findKeyId } from '../../src/keys/key-format.ts';
import { isDayRule } from './import-rules.ts';

/** True if an update can address a field by path: MongoDB reads a dot as a step into an object. */
export const fitsPath = (name: string): boolean => name !== '' && !name.includes('.');

/** MongoDB stores at most 100 levels. */
const maxDepth = 100;

/**
 * Maximum elements in all lists of a document. A series has at most 36,525 points: a century of
 * days.
 */
const maxElements = 100_000;

/** Maximum length, and maximum number, of unknown names that are compared with known names. */
const maxNearName = 100;
const maxUnknown = 1_000;

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/**
 * The known name that was probably meant: another spelling (`countryCode`), or one letter
 * different.
 */
const findNearName = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > maxNearName) return undefined;
  const written = plain(name);
  return (
    known.find((one) => plain(one) === written) ??
    known.find((one) => leven(one, name, { maxDistance: 2 }) === 1)
  );
};

export type Rule = z.core.$ZodType;
type Rules = Readonly<Record<string, Rule>>;

/** The rule for a value that is present. */
export const withoutNull = (rule: Rule | undefined): Rule | undefined =>
  rule instanceof z.ZodOptional || rule instanceof z.ZodNullable
    ? withoutNull(rule.unwrap())
    : rule;

/** Unused control characters, where Windows-1252 has quotes, dashes and the euro sign. */
const wronglyDecoded = /[\u0080-\u009f]/;

/** Other texts are only displayed (`2nd of May`). */
const beginsWithDay = /^\d{4}-\d\d-\d\d/;

const keyTextIssue = (id: string): string =>
  `contains the text of key ${id}, which must not be stored: rotate that key`;

/** Field names with which MongoDB Extended JSON v2 encodes BSON values. */
const extendedNames = [
  '$oid',
  '$date',
  '$numberInt',
  '$numberLong',
  '$numberDouble',
  '$numberDecimal',
  '$binary',
  '$uuid',
];

const isExtendedJson = (value: object): boolean =>
  extendedNames.includes(Object.keys(value)[0] ?? '');

const wrongName = (name: string, isTop: boolean): string | undefined => {
  const keyId = findKeyId(name);
  if (keyId !== undefined) return keyTextIssue(keyId);
  if (name.startsWith('$')) return 'begins with $, which MongoDB does not store';
  if (name.includes('\0')) return 'has a zero byte in its name, which MongoDB does not store';
  return isTop && !fitsPath(name)
    ? 'has a name that MongoDB cannot update, such as one with a dot: put it into an object'
    : undefined;
};

/**
 * Visits all fields of a document, known or not, at most `maxDepth` deep.
 *
 * @param latestDay the last day without a warning for days in the future
 */
export const visitMembers = (document: unknown, documentRule: z.ZodType, latestDay: Day) => {
  /** Values that MongoDB would reject or change. */
  const issues: DocumentIssue[] = [];
  /**
   * Probable errors. Their paths lack the numbers of array elements, so that equal warnings can be
   * counted.
   */
  const warnings: DocumentIssue[] = [];
  const path: (string | number)[] = [];
  const extended: string[] = [];
  let elements = 0;
  const issue = (message: string): void => void issues.push({ path: path.join('.'), message });
  const warning = (message: string): void =>
    void warnings.push({
      path: path.filter((part) => typeof part === 'string').join('.'),
      message,
    });

  let unknown = 0;
  const visitName = (name: string, known: Rules): Rule | undefined => {
    const wrong = wrongName(name, path.length === 1);
    if (wrong !== undefined) issue(wrong);
    if (Object.hasOwn(known, name)) return known[name];
    unknown += 1;
    const near = unknown > maxUnknown ? undefined : findNearName(name, Object.keys(known));
    if (near !== undefined) warning(`is not read; did you mean ${near}?`);
    return undefined;
  };
  const visitText = (text: string, rule: Rule | undefined): void => {
    const isLate = beginsWithDay.test(text) && text.slice(0, latestDay.length) > latestDay;
    if (isLate && isDayRule(withoutNull(rule)))
      warning(`is a day after ${latestDay}, more than two days ahead`);
    if (rule !== undefined && text !== '' && text.trim() === '') warning('has nothing but blanks');
    if (toUSVString(text) !== text)
      issue('has half a character (a lone surrogate); expected whole characters');
    const keyId = text.includes('aik_') ? findKeyId(text) : undefined;
    if (keyId !== undefined) issue(keyTextIssue(keyId));
    else if (text.includes('\ufffd'))
      warning('has U+FFFD, which stands for characters that were decoded wrongly');
    else if (wronglyDecoded.test(text))
      warning('has a character from U+0080 to U+009F: Windows-1252 that was decoded as Latin-1');
  };
  const visit = (value: unknown, memberRule: Rule | undefined): void => {
    if (typeof value === 'string') visitText(value, memberRule);
    if (typeof value !== 'object' || value === null) return;
    if (path.length >= maxDepth) {
      issue(`is nested deeper than ${maxDepth} levels, which MongoDB does not store`);
      return;
    }
    if (isExtendedJson(value)) {
      extended.push(path.join('.'));
      return;
    }
    const rule = withoutNull(memberRule);
    const isArray = Array.isArray(value);
    if (isArray) elements += value.length;
    if (isArray && elements > maxElements) {
      issue(`has too many elements: a document may have ${maxElements}`);
      return;
    }
    const element = rule instanceof z.ZodArray ? rule.element : undefined;
    const known = rule instanceof z.ZodObject ? rule.shape : {};
    for (const [name, member] of Object.entries(value)) {
      path.push(isArray ? Number(name) : name);
      visit(member, isArray ? element : visitName(name, known));
      path.pop();
    }
  };
  visit(document, documentRule);
  return { issues, warnings, extended, hasTooManyElements: elements > maxElements };
};
