import type { ComparedForm } from './forms.ts';
import type { MemberRow } from './rows.ts';

const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** The change to make in a client that reads a member and moves to the other form. */
export const verbOf = (row: MemberRow, from: ComparedForm = 'variant'): string => {
  const { kind, current, variant } = row;
  if (row.toDo !== undefined && from === 'variant') return row.toDo;
  if (current === undefined || variant === undefined) {
    return kind === 'derived' && from === 'variant' ? 'count yourself' : 'do without';
  }
  if (kind === 'derived') return 'read anew';
  if (current === variant) return 'keep';
  return lastName(current) === lastName(variant) ? 'read from its new place' : 'rename';
};

/** The subject of each table of members. */
export const tableTitles = {
  envelope: 'around the items',
  artist: 'an artist',
  spike: 'a spike',
  signing: 'a signing',
  error: 'an error',
} as const;
