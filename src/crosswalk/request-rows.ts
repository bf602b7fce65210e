import type { ComparedForm } from './forms.ts';
import type { Parameter, ParameterRow, PathRow, QuotaRow } from './rows.ts';

/** Every path of both forms, below `/api/v1`. */
export const pathRows: readonly PathRow[] = [
  { kind: 'same', current: '/health', variant: '/health', reason: 'Needs no key and spends nothing.' },
  { kind: 'same', current: '/artists', variant: '/artists', items: 'artist', reason: 'The shortlist and its filters.' },
  {
    kind: 'only current',
    current: '/artists/{id}',
    items: 'artist',
    reason: 'One artist with history. In the variant form /artists?id= answers with a list of one, without history.',
  },
  {
    kind: 'only current',
    current: '/added',
    items: 'artist',
    reason: 'Artists added within so many days. In the variant form /artists?new= asks for them.',
  },
  { kind: 'same', current: '/spikes', variant: '/spikes', items: 'spike', reason: 'Recent trusted movement.' },
  {
    kind: 'same',
    current: '/signings',
    variant: '/signings',
    items: 'signing',
    reason: 'Reviewed status and label P-lines.',
  },
];

const artists = (name: string): Parameter => ({ path: '/artists', name });
const wholeNumber = (path: string, name: string, max: number, fallback: number): Parameter => ({
  path,
  name,
  range: { min: 1, max, default: fallback },
});

/** Every query parameter of both forms. */
export const parameterRows: readonly ParameterRow[] = [
  {
    kind: 'derived',
    current: artists('id'),
    variant: artists('id'),
    reason:
      'The same name, but each form accepts its own identifier only. /artists/{id} answers with the artist itself.',
  },
  {
    kind: 'same',
    current: artists('tier'),
    variant: artists('tier'),
    reason: 'The same four tiers; a tier that does not exist has no artists.',
  },
  {
    kind: 'same',
    current: wholeNumber('/artists', 'limit', 100, 50),
    variant: wholeNumber('/artists', 'limit', 200, 100),
    reason: 'The same name with other numbers: what lies behind a page of the current form is reached with cursor.',
  },
  {
    kind: 'renamed',
    current: wholeNumber('/added', 'days', 90, 7),
    variant: artists('new'),
    reason: 'Added on or after today minus so many days, UTC. For more than 90 days ask with added_since.',
  },
  {
    kind: 'only current',
    current: artists('added_since'),
    reason: 'new=N is also added_since=(today minus N days, UTC), with pages.',
  },
  {
    kind: 'only current',
    current: wholeNumber('/added', 'limit', 100, 100),
    reason: 'In the variant form the limit of /artists holds for new= too. /added has no pages.',
  },
  {
    kind: 'only current',
    current: artists('name'),
    reason: 'Search by a part of the name, taken literally and without regard to case.',
  },
  {
    kind: 'only current',
    current: artists('include'),
    reason: 'include=history adds history, which the variant form does not have.',
  },
  {
    kind: 'only current',
    current: artists('cursor'),
    reason: 'The next_cursor of the page before, with the same filters. The variant form has one page.',
  },
  {
    kind: 'only variant',
    variant: artists('signed'),
    reason: 'Look at signing.status of each artist, or ask /signings.',
  },
  {
    kind: 'only variant',
    variant: artists('fields'),
    reason: 'fields=basic leaves songs and scouting report out; the current form always has the songs.',
  },
  {
    kind: 'same',
    current: wholeNumber('/spikes', 'days', 30, 3),
    variant: wholeNumber('/spikes', 'days', 30, 3),
    reason: 'The comparison window.',
  },
];

/** The limits of a form for an organization or a key that has none of its own. */
export const quotaRows: readonly QuotaRow[] = [
  {
    kind: 'only current',
    form: 'current',
    window: 'minute',
    requests: 10,
    per: 'organization',
    header: 'X-RateLimit',
    reason: 'Shared by all keys of the current form that an organization has.',
  },
  {
    kind: 'only current',
    form: 'current',
    window: 'day',
    requests: 1000,
    per: 'organization',
    header: 'X-RateLimit-Day',
    reason: 'A UTC day. Polling /added every 15 minutes takes 96 of them.',
  },
  {
    kind: 'only variant',
    form: 'variant',
    window: 'hour',
    requests: 100,
    per: 'key',
    header: 'X-RateLimit',
    reason: 'Each key by itself.',
  },
];

const splitPath = (path: string): { readonly template: string; readonly query: URLSearchParams } => {
  const [template = '', query = ''] = path.split('?');
  return { template, query: new URLSearchParams(query) };
};

/** The whole number that a request (path and query below `/api/v1`) asks for, with the form's default and clamping. */
export const requestedNumber = (form: ComparedForm, path: string, name: string): number | undefined => {
  const { template, query } = splitPath(path);
  const row = parameterRows.find((one) => one[form]?.path === template && one[form]?.name === name);
  const range = row?.[form]?.range;
  if (range === undefined) return undefined;
  const text = query.get(name) ?? '';
  const given = /^\d+$/.test(text) ? Number(text) : range.default;
  return Math.min(Math.max(given, range.min), range.max);
};

/** The row of the path that a request asks for; `undefined` when the form does not have the path. */
export const pathRowOf = (form: ComparedForm, path: string): PathRow | undefined => {
  const { template } = splitPath(path);
  return pathRows.find(({ [form]: known }) =>
    known === undefined ? false : new RegExp(`^${known.replace(/\{\w+\}/, '[^/]+')}$`).test(template),
  );
};
