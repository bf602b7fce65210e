import { crosswalk } from '../crosswalk/crosswalk.ts';
import type { MemberRow } from '../crosswalk/rows.ts';
import { tableTitles, verbOf } from '../crosswalk/wording.ts';
import type { Scope } from '../domain/caller.ts';
import type { UsageCount } from '../domain/usage.ts';
import { type Move, pathOf } from './evidence.ts';

/** A member of one form's answers that the other form does not have under the same name and with the same value. */
export interface MemberFinding {
  /** Where it stands: `an artist`, `around the items`. */
  readonly of: string;
  readonly member: string;
  /** Where the same fact is in the other form. */
  readonly instead: string | undefined;
  readonly to_do: string;
  readonly remark: string;
}

const isAnswer = ({ status }: UsageCount): boolean => status === 200 || status === 304;

const alwaysWith = (counts: readonly UsageCount[], use: string): boolean =>
  counts.every(({ uses, requests }) => uses[use] === requests);

/** What a partner can have seen of answers, by what it asks and may see. */
const createView = (answers: readonly UsageCount[], scopes: readonly Scope[], { from }: Move) => {
  const paths = new Set(answers.map(pathOf));
  const artists = answers.filter((count) => pathOf(count) === '/artists');
  const seen = {
    'every field': !alwaysWith(artists, 'fields=basic'),
    history: paths.has('/artists/{id}') || artists.some(({ uses }) => uses['include=history'] !== undefined),
  };
  const isSeen = ({ presentIf }: MemberRow): boolean => {
    const condition = presentIf?.[from];
    return condition === 'every field' || condition === 'history' ? seen[condition] : true;
  };
  return {
    /** The tables of members that speak of what was asked. */
    tables: [
      'envelope' as const,
      ...new Set(crosswalk.paths.flatMap((row) => (row.items && paths.has(row[from]) ? [row.items] : []))),
      'error' as const,
    ],
    has: (row: MemberRow): boolean =>
      (row.onlyPath === undefined || paths.has(row.onlyPath)) &&
      (row.scope === undefined || scopes.includes(row.scope)) &&
      isSeen(row),
  };
};

/**
 * The members that a partner has to read otherwise in the other form, of the answers it gets.
 *
 * @param counts requests served in the form it moves from
 */
export const findMembers = (counts: readonly UsageCount[], scopes: readonly Scope[], move: Move): MemberFinding[] => {
  const answers = counts.filter(isAnswer);
  if (answers.length === 0) return [];
  const view = createView(answers, scopes, move);
  return view.tables.flatMap((table) =>
    crosswalk.members[table].filter(view.has).flatMap((row) => {
      const { [move.from]: member, [move.to]: instead, reason: remark } = row;
      const to_do = verbOf(row, move.from);
      return member === undefined || to_do === 'keep'
        ? []
        : [{ of: tableTitles[table], member, instead, to_do, remark }];
    }),
  );
};
