import { byForm, type ComparedForm } from '../../migration/mapping/forms.ts';
import { type MemberTable, mapping } from '../../migration/mapping/mapping.ts';
import type { HeaderRow, MemberRow, ProblemRow } from '../../migration/mapping/rows.ts';

/**
 * A row's table and its path in the current form, else in the variant form:
 * `artist.songs[].metrics.streams`.
 */
export const memberRowId = (table: string, { current, variant }: MemberRow): string =>
  `${table}.${current ?? variant}`;

export const headerRowId = ({ name }: HeaderRow): string => `header.${name}`;

export const problemRowId = ({ problem }: ProblemRow): string => `problem.${problem}`;

export const itemTables: Readonly<Partial<Record<string, MemberTable>>> = {
  artists: 'artist',
  spikes: 'spike',
  signings: 'signing',
};

/**
 * The member around the items of an answer: the rows of the items themselves are in tables of their
 * own.
 */
const isAroundItems = (id: string): boolean => /^envelope\.data(\[\])?$/.test(id);

/** The ids of all rows that a comparison checks: fields, problems and headers. */
export const rowIds: readonly string[] = [
  ...Object.entries(mapping.members).flatMap(([table, rows]) =>
    rows.map((row) => memberRowId(table, row)),
  ),
  ...mapping.problems.map(problemRowId),
  ...mapping.headers.map(headerRowId),
].filter((id) => !isAroundItems(id));

export interface RowAtPath {
  readonly row: MemberRow;
  readonly id: string;
  /** The same text for both paths of a row. */
  readonly key: string;
  /** False for what is around the member of `row`, unless `row` is about its elements. */
  readonly isRow: boolean;
  readonly hasParts: boolean;
}

/**
 * The elements of a list, or the keys of a map. If there are none, their row is about the list or
 * the map itself.
 */
const elements = /(\[\]|\.\*)$/;

const expand = (path: string, keys: readonly string[]): readonly string[] =>
  path.includes('*') ? keys.map((key) => path.replace('*', key)) : [path];

/**
 * The paths of one form: each row, once for each key of its map, then each object or list around
 * rows, with the first row inside it.
 */
const createIndex = (form: ComparedForm) => {
  const tables = new Map<string, Map<string, RowAtPath>>();
  const indexOf = (table: string): Map<string, RowAtPath> => {
    const index = tables.get(table) ?? new Map<string, RowAtPath>();
    tables.set(table, index);
    return index;
  };
  const all = Object.entries(mapping.members).flatMap(([table, rows]) =>
    rows.flatMap((row) => {
      const { [form]: path, current: common = row.variant ?? '', keys = [] } = row;
      const [commonPaths, facts] = [
        expand(common, keys),
        { table, row, id: memberRowId(table, row) },
      ];
      if (path === undefined) return [];
      return expand(path, keys).map((one, at) => ({
        ...facts,
        path,
        one,
        key: commonPaths[at] ?? '',
      }));
    }),
  );
  for (const { table, one, row, id, key } of all)
    indexOf(table).set(one, { row, id, key, isRow: true, hasParts: false });
  for (const { table, one, path, row, id } of all)
    for (const { index: end } of one.matchAll(/[.[]/g)) {
      const outer = one.slice(0, end);
      const isRow = elements.test(path) && path.replace(elements, '') === outer;
      const index = indexOf(table);
      if (!index.has(outer)) index.set(outer, { row, id, key: outer, isRow, hasParts: true });
    }
  return tables;
};

const indexes = byForm(createIndex);

/** What a path of one form without indexes is about, `songs[].metrics.streams`. */
export const declaredRow = (
  table: MemberTable,
  form: ComparedForm,
  declared: string,
): RowAtPath | undefined => indexes[form].get(table)?.get(declared);

/**
 * What a path of one form is about, `songs[1].metrics.streams`, with or without indexes;
 * `undefined` where no row declares it.
 */
export const rowAt = (
  table: MemberTable,
  form: ComparedForm,
  path: string,
): RowAtPath | undefined => declaredRow(table, form, path.replaceAll(/\[\d+\]/g, '[]'));

/** The table of what is around the items of an answer, or of a problem. */
export const bodyTable = (items: string, isProblem: boolean): MemberTable =>
  isProblem ? 'error' : items === 'health' ? 'health' : 'envelope';

/**
 * The id of the row at a path of a body, `data[3].songs[1].name`; `items` is what the body lists.
 */
export const rowInBody = (
  form: ComparedForm,
  items: string,
  isProblem: boolean,
  path: string,
): string | undefined => {
  const [, member] = /^data(?:\[\d+\])?\.(.+)$/.exec(path) ?? [];
  const table = member === undefined ? undefined : itemTables[items];
  return rowAt(
    table ?? bodyTable(items, isProblem),
    form,
    table === undefined ? path : (member ?? ''),
  )?.id;
};
