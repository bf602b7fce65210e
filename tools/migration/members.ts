import type { Scope } from '../../src/domain/caller.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { type Move, pathOf } from './evidence.ts';
import { type MemberTable, mapping, tableTitles } from './mapping/mapping.ts';
import { type MemberRow, verbOf } from './mapping/rows.ts';

const isAnswer = ({ status }: UsageCount): boolean => status === 200 || status === 304;

/** Which members a partner's answers can have held, by its requests and scopes. */
const visibleMembers = (
  answers: readonly UsageCount[],
  scopes: readonly Scope[],
  { from }: Move,
) => {
  const paths = new Set(answers.map(pathOf));
  const artists = answers.filter((count) => pathOf(count) === '/artists');
  const seen = {
    'every field': artists.some(({ uses, requests }) => uses['fields=basic'] !== requests),
    history:
      paths.has('/artists/{id}') ||
      artists.some(({ uses }) => uses['include=history'] !== undefined),
  };
  const isSeen = ({ presentIf }: MemberRow): boolean => {
    const condition = presentIf?.[from];
    return condition === 'every field' || condition === 'history' ? seen[condition] : true;
  };
  return {
    /** The mapping's tables about the requested paths. */
    tables: [
      'envelope' as const,
      ...new Set(
        mapping.paths.flatMap((row) => (row.items && paths.has(row[from]) ? [row.items] : [])),
      ),
      'error' as const,
    ],
    has: (row: MemberRow): boolean =>
      (row.onlyPath === undefined || paths.has(row.onlyPath)) &&
      (row.scope === undefined || scopes.includes(row.scope)) &&
      isSeen(row),
  };
};

/** The list whose items a table is about, as the members of its items are named after it. */
const listOf = (table: MemberTable, { from }: Move): string => {
  const row = mapping.paths.find(({ items, [from]: path }) => items === table && path);
  return row === undefined ? '' : `${row[from]?.slice(1)}.`;
};

/**
 * The members of its answers that have another name or value in the other form or are not there,
 * each with the object that has it, like `an artist` or `the envelope`.
 *
 * @param counts requests served in the form it moves from
 * @param isRead whether it is about a member, `artists.songs.streams`
 */
export const findMembers = (
  counts: readonly UsageCount[],
  scopes: readonly Scope[],
  move: Move,
  isRead: (name: string) => boolean,
) => {
  const answers = counts.filter(isAnswer);
  if (answers.length === 0) return [];
  const visible = visibleMembers(answers, scopes, move);
  return visible.tables.flatMap((table) =>
    mapping.members[table].filter(visible.has).flatMap((row) => {
      const { [move.from]: member, [move.to]: instead, reason: remark } = row;
      const to_do = verbOf(row, move.from);
      const name = listOf(table, move) + member?.replaceAll('[]', '');
      return member === undefined || to_do === 'keep' || !isRead(name)
        ? []
        : [{ of: tableTitles[table], member, instead, to_do, remark }];
    }),
  );
};
