import { crosswalk, type MemberTable } from '../../../src/crosswalk/crosswalk.ts';
import type { HeaderRow, MemberRow, ProblemRow } from '../../../src/crosswalk/rows.ts';

/** A row's table and its path in the current form, else in the variant form: `artist.songs[].metrics.streams`. */
export const memberRowId = (table: string, { current, variant }: MemberRow): string => `${table}.${current ?? variant}`;

export const headerRowId = ({ name }: HeaderRow): string => `header.${name}`;

export const problemRowId = ({ problem }: ProblemRow): string => `problem.${problem}`;

/** The table that describes what a case lists; `undefined` when it lists nothing. */
export const itemTables: Readonly<Partial<Record<string, MemberTable>>> = {
  artists: 'artist',
  spikes: 'spike',
  signings: 'signing',
};

/** The member around the items of an answer: the rows of the items themselves are in tables of their own. */
const isAroundItems = (id: string): boolean => /^envelope\.data(\[\])?$/.test(id);

/** The ids of all rows that a comparison checks: those of members, problems and headers. */
export const rowIds: readonly string[] = [
  ...Object.entries(crosswalk.members).flatMap(([table, rows]) => rows.map((row) => memberRowId(table, row))),
  ...crosswalk.problems.map(problemRowId),
  ...crosswalk.headers.map(headerRowId),
].filter((id) => !isAroundItems(id));

/** The paths, in both forms, of members whose values differ from reply to reply, such as `meta.request_id`. */
export const volatilePaths: ReadonlySet<string> = new Set(
  Object.values(crosswalk.members)
    .flat()
    .filter(({ kind }) => kind === 'volatile')
    .flatMap(({ current, variant }) => [current, variant].filter((path) => path !== undefined)),
);

const patternOf = (declared: string): RegExp =>
  new RegExp(`^${declared.replaceAll(/[.[\]]/g, '\\$&').replaceAll('*', '[^.[]+')}(?![^.[])`);

/**
 * The id of the row at a path of an answer, `songs[1].metrics.streams`; of an object or list that is missing, its first row's.
 * `undefined` when no row declares the path.
 */
export const rowIdAt = (table: MemberTable, path: string): string | undefined => {
  const declared = path.replaceAll(/\[\d+\]/g, '[]');
  const row = crosswalk.members[table].find(({ current, variant }) =>
    [current, variant].some(
      (one) =>
        one !== undefined &&
        (patternOf(one).test(declared) || one.startsWith(`${declared}.`) || one.startsWith(`${declared}[`)),
    ),
  );
  return row && memberRowId(table, row);
};

/** The id of the row at a path of a body, `data[3].songs[1].name`; `items` is what the body lists. */
export const rowIdInBody = (items: string, path: string): string | undefined => {
  const [, member] = /^data(?:\[\d+\])?\.(.+)$/.exec(path) ?? [];
  const table = itemTables[items];
  return table !== undefined && member !== undefined ? rowIdAt(table, member) : rowIdAt('envelope', path);
};
