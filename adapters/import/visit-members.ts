import { toUSVString } from 'node:util';
import leven from 'leven';
import { findKeyText } from '../../src/keys/key-format.ts';
import type { Type } from '../stores/documents/member-types.ts';
import type { DocumentIssue } from '../stores/documents/parse-result.ts';

/** MongoDB stores at most 100 levels. */
const maxDepth = 100;

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The known name that was probably meant: the same in another spelling (`countryCode`), or one letter from it. */
const findNearName = (name: string, known: readonly string[]): string | undefined =>
  known.find((one) => plain(one) === plain(name)) ?? known.find((one) => leven(one, name, { maxDistance: 2 }) === 1);

/** What a member of this name holds; `undefined` when the format does not know it. */
const typeOfMember = (type: Type | undefined, name: string): Type | undefined => {
  if (type?.is === 'object') return type.members.find((member) => member.name === name)?.type;
  return type?.is === 'map' && type.names.includes(name) ? type.element : undefined;
};

/** The names of the members that the format knows in a value of this type. */
const knownNames = (type: Type | undefined): readonly string[] => {
  if (type?.is === 'object') return type.members.map(({ name }) => name);
  return type?.is === 'map' ? type.names : [];
};

const wrongName = (name: string): string | undefined => {
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
  const issue = (message: string): void => void issues.push({ path: path.join('.'), message });
  const remark = (message: string): void =>
    void remarks.push({ path: path.filter((part) => typeof part === 'string').join('.'), message });

  const visitName = (name: string, type: Type | undefined): void => {
    const wrong = wrongName(name);
    if (wrong !== undefined) issue(wrong);
    if (typeOfMember(type, name) !== undefined) return;
    const near = findNearName(name, knownNames(type));
    if (near !== undefined) remark(`is not read; did you mean ${near}?`);
  };
  const visitText = (text: string): void => {
    if (toUSVString(text) !== text) issue('has half a character (a lone surrogate); expected whole characters');
    else if (text.includes('aik_') && findKeyText(text) !== undefined) {
      issue(`holds the text of the key ${findKeyText(text)}, which must be stored nowhere: rotate that key`);
    } else if (text.includes('\ufffd')) remark('has U+FFFD, which replaces characters that were decoded wrongly');
  };
  const visit = (value: unknown, type: Type | undefined): void => {
    if (typeof value === 'string') visitText(value);
    if (typeof value !== 'object' || value === null) return;
    if (path.length >= maxDepth) {
      issue(`is nested deeper than ${maxDepth} levels, which MongoDB does not store`);
      return;
    }
    const element = type?.is === 'list' ? type.element : undefined;
    const isArray = Array.isArray(value);
    for (const [name, member] of Object.entries(value)) {
      path.push(isArray ? Number(name) : name);
      if (!isArray) visitName(name, type);
      visit(member, isArray ? element : typeOfMember(type, name));
      path.pop();
    }
  };
  visit(document, documentType);
  return { issues, remarks };
};
