import type { Scope } from '../../src/domain/caller.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { pathOf, requestedMove } from './evidence.ts';
import { mapping, tableTitles } from './mapping/mapping.ts';
import { type MemberRow, verbOf } from './mapping/rows.ts';

const { from, to } = requestedMove;

/**
 * The fields of a key's responses that have another name or value in the other form or are missing
 * there, each with its object, like `an artist` or `the envelope`.
 *
 * @param counts requests in the form that the key leaves
 */
export const findFields = (counts: readonly UsageCount[], scopes: readonly Scope[]) => {
  const answers = counts.filter(({ status }) => status === 200 || status === 304);
  const paths = new Set(answers.map(pathOf));
  const isWhole = answers.some(
    (count) => pathOf(count) === '/artists' && count.uses['fields=basic'] !== count.requests,
  );
  const isVisible = ({ onlyPath, scope, presentIf }: MemberRow): boolean =>
    (onlyPath === undefined || paths.has(onlyPath)) &&
    (scope === undefined || scopes.includes(scope)) &&
    (presentIf?.[from] !== 'every field' || isWhole);
  const items = mapping.paths.flatMap((row) =>
    row.items && paths.has(row[from]) ? [row.items] : [],
  );
  const tables = answers.length === 0 ? [] : (['envelope', ...new Set(items), 'error'] as const);
  return tables.flatMap((table) =>
    mapping.members[table].filter(isVisible).flatMap((row) => {
      const { [from]: field, [to]: instead, reason: why } = row;
      const to_do = verbOf(row);
      return field === undefined || to_do === 'keep'
        ? []
        : [{ of: tableTitles[table], field, instead, to_do, why }];
    }),
  );
};
