import type { FilterName } from '../../../src/domain/filters.ts';
import type { ComparedForm } from './forms.ts';
import type { Parameter, ParameterRow, PathRow, QuotaRow } from './rows.ts';

const samePath = (path: string, items: PathRow['items'], reason: string): PathRow => ({
  current: path,
  variant: path,
  ...(items && { items }),
  reason,
});

const currentPath = (current: string, items: PathRow['items'], reason: string): PathRow => ({
  current,
  ...(items && { items }),
  reason,
});

export const pathRows: readonly PathRow[] = [
  samePath('/health', undefined, 'Needs no key and uses no quota.'),
  samePath('/artists', 'artist', 'The shortlist and its filters.'),
  currentPath(
    '/artists/{id}',
    'artist',
    'One artist with history. In the variant form, /artists?id= returns a list of one, without history.',
  ),
  currentPath(
    '/added',
    'artist',
    'Artists added within the last N days. In the variant form: /artists?new=N.',
  ),
  samePath('/spikes', 'spike', 'Recent trusted movement.'),
  samePath('/signings', 'signing', 'Reviewed status and label P-lines.'),
];

const artists = (name: string): Parameter => ({ path: '/artists', name });
const wholeNumber = (path: string, name: string, max: number, fallback: number): Parameter => ({
  path,
  name,
  range: { min: 1, max, default: fallback },
});

type VariantRow = ParameterRow & { readonly variant: Parameter };

const related = (current: Parameter, variant: Parameter, reason: string): VariantRow => ({
  current,
  variant,
  reason,
});
const onlyCurrent = (current: Parameter, reason: string): ParameterRow => ({
  current,
  reason,
});
const onlyVariant = (variant: Parameter, reason: string): VariantRow => ({
  variant,
  reason,
});

/**
 * Every filter that a parameter sets, by its name, and the other parameters. One row is about both
 * identifiers, and `nothing` has no parameter.
 */
const rowsByName = {
  id: related(
    artists('id'),
    artists('id'),
    'The same name, but each form accepts only its own identifier. /artists/{id} returns the artist itself.',
  ),
  tier: related(
    artists('tier'),
    artists('tier'),
    'The same four tiers; an unknown tier matches no artists.',
  ),
  limit: related(
    wholeNumber('/artists', 'limit', 100, 50),
    wholeNumber('/artists', 'limit', 200, 100),
    'The same name with other numbers: the current form has more artists on the next page, with cursor.',
  ),
  addedWithinDays: related(
    wholeNumber('/added', 'days', 90, 7),
    artists('new'),
    'Added on or after today minus N days, UTC. For 0 or more than 90 days use added_since.',
  ),
  addedSince: onlyCurrent(
    artists('added_since'),
    'new=N is also added_since=(today minus N days, UTC), which has pages.',
  ),
  addedLimit: onlyCurrent(
    wholeNumber('/added', 'limit', 100, 100),
    'In the variant form, the limit of /artists applies to new= too. /added has no pages.',
  ),
  name: onlyCurrent(artists('name'), 'Searches for part of a name, literally and ignoring case.'),
  include: onlyCurrent(
    artists('include'),
    'include=history adds history, which the variant form does not have.',
  ),
  cursor: onlyCurrent(
    artists('cursor'),
    'The next_cursor of the previous page, with the same filters. The variant form has one page.',
  ),
  signed: onlyVariant(artists('signed'), 'Check signing.status of each artist, or use /signings.'),
  fields: onlyVariant(
    artists('fields'),
    'fields=basic omits songs and scouting report; the current form always sends the songs.',
  ),
  spikesDays: related(
    wholeNumber('/spikes', 'days', 30, 3),
    wholeNumber('/spikes', 'days', 30, 3),
    'The comparison window.',
  ),
} satisfies Readonly<
  Record<Exclude<FilterName, 'documentId' | 'nothing'>, ParameterRow> & Record<string, ParameterRow>
>;

type RowName = keyof typeof rowsByName;

/** The filters of the variant form. Its `id` is the document identifier. */
export type VariantFilter =
  | 'documentId'
  | {
      [Name in Exclude<FilterName, 'id'> & RowName]: (typeof rowsByName)[Name] extends VariantRow
        ? Name
        : never;
    }[Exclude<FilterName, 'id'> & RowName];

/** The parameter of a filter in the variant form. */
export const variantParameter = (filter: VariantFilter): string =>
  rowsByName[filter === 'documentId' ? 'id' : filter].variant.name;

export const parameterRows: readonly ParameterRow[] = Object.values(rowsByName);

export const quotaRows: readonly QuotaRow[] = [
  {
    form: 'current',
    window: 'minute',
    requests: 10,
    per: 'organization',
    header: 'X-RateLimit',
    reason: 'Shared by all keys of the current form that an organization has.',
  },
  {
    form: 'current',
    window: 'day',
    requests: 1000,
    per: 'organization',
    header: 'X-RateLimit-Day',
    reason: 'A UTC day. Polling /added every 15 minutes takes 96 of them.',
  },
  {
    form: 'variant',
    window: 'hour',
    requests: 100,
    per: 'key',
    header: 'X-RateLimit',
    reason: 'Each key separately.',
  },
];

const splitPath = (
  path: string,
): { readonly template: string; readonly query: URLSearchParams } => {
  const [template = '', query = ''] = path.split('?');
  return { template, query: new URLSearchParams(query) };
};

/**
 * The whole number that a request (path and query below `/api/v1`) asks for, with the form's
 * default and clamping.
 */
export const requestedNumber = (
  form: ComparedForm,
  path: string,
  name: string,
): number | undefined => {
  const { template, query } = splitPath(path);
  const row = parameterRows.find((one) => one[form]?.path === template && one[form]?.name === name);
  const range = row?.[form]?.range;
  if (range === undefined) return undefined;
  const text = query.get(name) ?? '';
  const given = /^\d+$/.test(text) ? Number(text) : range.default;
  return Math.min(Math.max(given, range.min), range.max);
};

/**
 * The row of the path that a request asks for; `undefined` when the form does not have the path.
 */
export const pathRowOf = (form: ComparedForm, path: string): PathRow | undefined => {
  const { template } = splitPath(path);
  return pathRows.find(({ [form]: known }) =>
    known === undefined
      ? false
      : new RegExp(`^${known.replace(/\{\w+\}/, '[^/]+')}$`).test(template),
  );
};
