import { toUSVString } from 'node:util';
import leven from 'leven';
import { z } from 'zod';
import { findKeyText } from '../../src/keys/key-format.ts';
import type { DocumentIssue } from '../stores/documents/parse-result.ts';

/** What was found in the members of a document, whether the format knows them or not. */
export interface MemberFindings {
  /** What MongoDB would refuse or store otherwise. */
  readonly issues: readonly DocumentIssue[];
  /** What is probably a mistake; paths without the numbers of array elements, so that equal remarks can be counted. */
  readonly remarks: readonly DocumentIssue[];
}

/** MongoDB stores at most 100 levels. */
const maxDepth = 100;

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The known name that was probably meant: the same in another spelling (`countryCode`), or one letter from it. */
const findNearName = (name: string, known: readonly string[]): string | undefined =>
  known.find((one) => plain(one) === plain(name)) ?? known.find((one) => leven(one, name, { maxDistance: 2 }) === 1);

/** The rules of what an optional member holds, or of the elements of an array. */
const innerRules = (rules: z.ZodType | undefined): z.ZodType | undefined =>
  rules instanceof z.ZodOptional || rules instanceof z.ZodNullable ? innerRules(rules.unwrap() as z.ZodType) : rules; // zod types what it unwraps as its core type

const shapeOf = (rules: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> | undefined => {
  const inner = innerRules(rules);
  return inner instanceof z.ZodObject ? inner.shape : undefined;
};

const elementRules = (rules: z.ZodType | undefined): z.ZodType | undefined => {
  const inner = innerRules(rules);
  return inner instanceof z.ZodArray ? (inner.element as z.ZodType) : undefined; // as above
};

const wrongName = (name: string): string | undefined => {
  if (name.startsWith('$')) return 'begins with $, which MongoDB does not store';
  return name.includes('\0') ? 'has a zero byte in its name, which MongoDB does not store' : undefined;
};

/** Visits all members of a document, at most `maxDepth` deep. */
export const visitMembers = (document: unknown, documentRules: z.ZodType): MemberFindings => {
  const issues: DocumentIssue[] = [];
  const remarks: DocumentIssue[] = [];
  const path: (string | number)[] = [];
  const issue = (message: string): void => void issues.push({ path: path.join('.'), message });
  const remark = (message: string): void =>
    void remarks.push({ path: path.filter((part) => typeof part === 'string').join('.'), message });

  const visitName = (name: string, shape: Readonly<Record<string, z.ZodType>> | undefined): void => {
    const wrong = wrongName(name);
    if (wrong !== undefined) issue(wrong);
    if (shape === undefined || Object.hasOwn(shape, name)) return;
    const near = findNearName(name, Object.keys(shape));
    if (near !== undefined) remark(`is not read; did you mean ${near}?`);
  };
  const visitText = (text: string): void => {
    if (toUSVString(text) !== text) issue('has half a character (a lone surrogate); expected whole characters');
    else if (text.includes('aik_') && findKeyText(text) !== undefined) {
      issue(`holds the text of the key ${findKeyText(text)}, which must be stored nowhere: rotate that key`);
    } else if (text.includes('\ufffd')) remark('has U+FFFD, which replaces characters that were decoded wrongly');
  };
  const visit = (value: unknown, rules: z.ZodType | undefined): void => {
    if (typeof value === 'string') visitText(value);
    if (typeof value !== 'object' || value === null) return;
    if (path.length >= maxDepth) {
      issue(`is nested deeper than ${maxDepth} levels, which MongoDB does not store`);
      return;
    }
    const shape = shapeOf(rules);
    const element = elementRules(rules);
    const isArray = Array.isArray(value);
    for (const [name, member] of Object.entries(value)) {
      path.push(isArray ? Number(name) : name);
      if (!isArray) visitName(name, shape);
      visit(member, isArray ? element : shape?.[name]);
      path.pop();
    }
  };
  visit(document, documentRules);
  return { issues, remarks };
};
