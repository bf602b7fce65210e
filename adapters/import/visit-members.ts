import { toUSVString } from 'node:util';
import leven from 'leven';
import { findKeyText } from '../../src/keys/key-format.ts';
import type { Type } from '../stores/documents/member-types.ts';
import type { DocumentIssue } from '../stores/documents/parse-result.ts';

/** MongoDB stores at most 100 levels. */
const maxDepth = 100;

/** Elements in all lists of a document that the format knows. A series has 36,525 points at most: a century of days. */
const maxElements = 100_000;

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The known name that was probably meant: the same in another spelling (`countryCode`), or one letter from it. */
const findNearName = (name: string, known: readonly string[]): string | undefined =>
  known.find((one) => plain(one) === plain(name)) ?? known.find((one) => leven(one, name, { maxDistance: 2 }) === 1);

/** The members that the format knows in a value of this type, and what they hold. */
const knownMembers = (type: Type | undefined): readonly { readonly name: string; readonly type: Type }[] => {
  if (type?.is === 'map') return type.names.map((name) => ({ name, type: type.element }));
  return type?.is === 'object' ? type.members : [];
};

const keyTextIssue = (id: string): string =>
  `holds the text of the key ${id}, which must be stored nowhere: rotate that key`;

/** The names by which MongoDB Extended JSON v2 writes a value of BSON as an object. */
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

const isExtendedJson = (value: object): boolean => extendedNames.includes(Object.keys(value)[0] ?? '');

const wrongName = (name: string): string | undefined => {
  const keyId = findKeyText(name);
  if (keyId !== undefined) return keyTextIssue(keyId);
  if (name.startsWith('$')) return 'begins with $, which MongoDB does not store';
  return name.includes('\0') ? 'has a zero byte in its name, which MongoDB does not store' : undefined;
};

/** Visits all members of a document, whether the format knows them or not, at most `maxDepth` deep. */
export const visitMembers = (document: unknown, documentType: Type) => {
  /** What MongoDB would refuse or store otherwise. */
  const issues: DocumentIssue[] = [];
  /** What is probably a mistake; paths without the numbers of array elements, so that equal remarks can be counted. */
  const remarks: DocumentIssue[] = [];
  const path: (string | number)[] = [];
  /** The members that are written in extended JSON. */
  const extended: string[] = [];
  let elements = 0;
  const issue = (message: string): void => void issues.push({ path: path.join('.'), message });
  const remark = (message: string): void =>
    void remarks.push({ path: path.filter((part) => typeof part === 'string').join('.'), message });

  /** Returns what a member of this name holds; `undefined` when the format does not know it. */
  let names = 0;
  const visitName = (name: string, known: ReturnType<typeof knownMembers>): Type | undefined => {
    names += 1;
    if (name === '__proto__') remark('is not read; programs in JavaScript take it for something else');
    const wrong = wrongName(name);
    if (wrong !== undefined) issue(wrong);
    const member = known.find((one) => one.name === name);
    if (member !== undefined) return member.type;
    const near = findNearName(
      name,
      known.map((one) => one.name),
    );
    if (near !== undefined) remark(`is not read; did you mean ${near}?`);
    return undefined;
  };
  const visitText = (text: string): void => {
    if (toUSVString(text) !== text) issue('has half a character (a lone surrogate); expected whole characters');
    const keyId = text.includes('aik_') ? findKeyText(text) : undefined;
    if (keyId !== undefined) issue(keyTextIssue(keyId));
    else if (text.includes('\ufffd')) remark('has U+FFFD, which replaces characters that were decoded wrongly');
  };
  const visit = (value: unknown, type: Type | undefined): void => {
    if (typeof value === 'string') visitText(value);
    if (typeof value !== 'object' || value === null) return;
    if (path.length >= maxDepth) {
      issue(`is nested deeper than ${maxDepth} levels, which MongoDB does not store`);
      return;
    }
    if (isExtendedJson(value)) {
      extended.push(path.join('.'));
      return;
    }
    const element = type?.is === 'list' ? type.element : undefined;
    const isArray = Array.isArray(value);
    if (isArray && element !== undefined) {
      elements += value.length;
      if (elements > maxElements) {
        issue(`has too many elements: a document may have ${maxElements}`);
        return;
      }
    }
    const known = isArray ? [] : knownMembers(type);
    for (const [name, member] of Object.entries(value)) {
      path.push(isArray ? Number(name) : name);
      visit(member, isArray ? element : visitName(name, known));
      path.pop();
    }
  };
  visit(document, documentType);
  return { issues, remarks, names, extended, hasTooManyElements: elements > maxElements };
};
