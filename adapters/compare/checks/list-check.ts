import { isDeepStrictEqual } from 'node:util';
import type { MemberTable } from '../../../src/crosswalk/crosswalk.ts';
import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import { type Json, textAt } from '../../../src/crosswalk/json.ts';
import type { ComparisonFacts } from '../../../src/crosswalk/rows.ts';
import type { SideResponse } from '../cases/send-request.ts';
import type { Invariant, RowInvariant } from './invariants.ts';
import { type ComparedLine, type CompareMembers, memberOf } from './members.ts';
import type { IdPairs } from './pairing.ts';
import { rowIdAt } from './row-ids.ts';
import type { StoredArtist, StoredCatalogue } from './stored-documents.ts';

/** The identity that an item has in both forms. */
export type IdentifyItem = (item: Json) => string;

/** How the items of one kind of list are paired, compared, and checked against invariants and stored data. */
export interface ListCheck {
  readonly compareMembers: CompareMembers;
  identify(current: readonly Json[], idPairs: IdPairs): Readonly<Record<ComparedForm, IdentifyItem>>;
  readonly invariants: Readonly<Record<ComparedForm, readonly (Invariant | RowInvariant)[]>>;
  /** The current form's member with the stable identifier of the artist. */
  readonly artistId: string;
  checkStored(shown: Json, stored: StoredArtist, facts: ComparisonFacts): readonly ComparedLine[];
}

export const byMembers = (...members: readonly string[]): Readonly<Record<ComparedForm, IdentifyItem>> => {
  const identify: IdentifyItem = (item) => members.map((member) => textAt(item, member) ?? '').join('\n');
  return { current: identify, variant: identify };
};

const differing = (path: string, shown: Json | undefined, stored: Json | undefined): ComparedLine => ({
  kind: undefined,
  reason: 'What is answered is what is stored.',
  current: memberOf(path, shown),
  unexpected:
    stored === undefined ? `${path}: nothing like this is stored.` : `${path}: stored is ${JSON.stringify(stored)}.`,
});

/** A comparison of members that the rows of a table declare. It returns a line when a member differs from the stored document. */
export const createStoredComparison =
  (table: MemberTable) =>
  (path: string, shown: Json | undefined, stored: Json | undefined): ComparedLine[] =>
    isDeepStrictEqual(shown, stored) ? [] : [{ ...differing(path, shown, stored), row: rowIdAt(table, path) }];

/** Checks an answer of the current form against stored data, including members that the variant form does not show. */
export const storedDataLines = (
  { artistId, checkStored }: ListCheck,
  { artists }: StoredCatalogue,
  { items }: SideResponse,
  facts: ComparisonFacts,
): ComparedLine[] =>
  items.flatMap((item, index) => {
    const id = textAt(item, artistId);
    const stored = artists.get(id ?? '');
    const lines = stored === undefined ? [differing(artistId, id, undefined)] : checkStored(item, stored, facts);
    return lines.map((line) => ({ ...line, unexpected: `items[${index}] ${line.unexpected}` }));
  });
