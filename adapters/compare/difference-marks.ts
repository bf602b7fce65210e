import { createHash } from 'node:crypto';
import { volatilePaths } from './checks/row-ids.ts';
import type { FoundDifference } from './differences.ts';

/** Characters of each half of a mark: enough for ten thousand differences of a row without one that is taken for another. */
const halfLength = 4;

/** Names of members whose values differ from run to run, such as `request_id`: of them only the type counts. */
const volatileNames = new Set([...volatilePaths].map((path) => path.split('.').at(-1)));

const digest = (parts: readonly unknown[]): string => {
  const text = JSON.stringify(parts, (name, value) => (volatileNames.has(name) ? typeof value : value));
  return createHash('sha256').update(text).digest('base64url').slice(0, halfLength);
};

/** Where a difference is and what it is, in four characters each. */
export const markOf = ({ block, line }: Pick<FoundDifference, 'block' | 'line'>): string => {
  const { kind, current, variant, unexpected = '' } = line;
  const place = [block.replace(/items\[\d+\]/, ''), current?.path, variant?.path];
  const values = [current, variant].map((member) => (kind === 'volatile' ? typeof member?.value : member?.value));
  const text = kind === 'volatile' ? '' : unexpected.replace(/items\[\d+\]/, '');
  return digest(place) + digest([...place, ...values, text]);
};

/** The half of a mark that says where. */
export const placeOf = (mark: string): string => mark.slice(0, halfLength);
/** The marks that a baseline holds for a case. */
export const marksIn = (text = ''): string[] => text.match(/.{8}/g) ?? [];
