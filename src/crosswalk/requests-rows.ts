import type { ParameterRow, PathRow, QuotaRow } from './request-rows.ts';

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

/** Every query parameter of both forms. */
export const parameterRows: readonly ParameterRow[] = [
  {
    kind: 'derived',
    current: { path: '/artists', name: 'id' },
    variant: { path: '/artists', name: 'id' },
    reason:
      'The same name, but each form accepts its own identifier only. /artists/{id} answers with the artist itself.',
  },
  {
    kind: 'same',
    current: { path: '/artists', name: 'tier' },
    variant: { path: '/artists', name: 'tier' },
    reason: 'The same four tiers; a tier that does not exist has no artists.',
  },
  {
    kind: 'same',
    current: { path: '/artists', name: 'limit', range: { least: 1, most: 100, standard: 50 } },
    variant: { path: '/artists', name: 'limit', range: { least: 1, most: 200, standard: 100 } },
    reason: 'The same name with other numbers: what lies behind a page of the current form is reached with cursor.',
  },
  {
    kind: 'renamed',
    current: { path: '/added', name: 'days', range: { least: 1, most: 90, standard: 7 } },
    variant: { path: '/artists', name: 'new' },
    reason: 'Added on or after today minus so many days, UTC. For more than 90 days ask with added_since.',
  },
  {
    kind: 'only current',
    current: { path: '/artists', name: 'added_since' },
    reason: 'new=N is also added_since=(today minus N days, UTC), with pages.',
  },
  {
    kind: 'only current',
    current: { path: '/added', name: 'limit', range: { least: 1, most: 100, standard: 100 } },
    reason: 'In the variant form the limit of /artists holds for new= too. /added has no pages.',
  },
  {
    kind: 'only current',
    current: { path: '/artists', name: 'name' },
    reason: 'Search by a part of the name, taken literally and without regard to case.',
  },
  {
    kind: 'only current',
    current: { path: '/artists', name: 'include' },
    reason: 'include=history adds history, which the variant form does not have.',
  },
  {
    kind: 'only current',
    current: { path: '/artists', name: 'cursor' },
    reason: 'The next_cursor of the page before, with the same filters. The variant form has one page.',
  },
  {
    kind: 'only variant',
    variant: { path: '/artists', name: 'signed' },
    reason: 'Look at signing.status of each artist, or ask /signings.',
  },
  {
    kind: 'only variant',
    variant: { path: '/artists', name: 'fields' },
    reason: 'fields=basic leaves songs and scouting report out; the current form always has the songs.',
  },
  {
    kind: 'same',
    current: { path: '/spikes', name: 'days', range: { least: 1, most: 30, standard: 3 } },
    variant: { path: '/spikes', name: 'days', range: { least: 1, most: 30, standard: 3 } },
    reason: 'The comparison window.',
  },
];

/** What requests are counted against, when the records of key and organization say nothing else. */
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
