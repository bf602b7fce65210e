import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import { keyText } from '../../../src/keys/key-format.ts';
import type { ExchangeRequest } from '../exchanges.ts';

/** A request in both forms, or the closest that each form has. */
export interface ExchangeCase extends Readonly<Record<ComparedForm, ExchangeRequest>> {
  readonly name: string;
}

type Request = ExchangeRequest['request'];

const request = (path: string, as: string | null, more: Omit<Request, 'path'> = {}): ExchangeRequest => ({
  request: { path: `/api/v1${path}`, ...more },
  as,
});

/** A request with a key of the current form that has every scope. */
const current = (path: string, more?: Omit<Request, 'path'>): ExchangeRequest => request(path, 'curFull01', more);
const variant = (path: string, more?: Omit<Request, 'path'>): ExchangeRequest => request(path, 'varFull01', more);

const strangersKey = { Authorization: `Bearer ${keyText('stranger1', 'x'.repeat(43))}` };

const tooLong = `/artists?name=${'a'.repeat(2048)}`;

/** The `next_cursor` of the first page below. */
const secondPage = 'WyJQZnBWbkoyQmJ3M0taeVZPIiwiYXJ0XzdyZjFseSIsIjIwMjUtMTEtMDMiXQ';

export const exchangeCases: readonly ExchangeCase[] = [
  { name: 'health', current: request('/health', null), variant: variant('/health') },
  { name: 'artists', current: current('/artists'), variant: variant('/artists') },
  { name: 'artists-limited', current: current('/artists?limit=2'), variant: variant('/artists?limit=2') },
  {
    name: 'artists-first-page',
    current: current('/artists?tier=established&limit=1'),
    variant: variant('/artists?tier=established&limit=1'),
  },
  {
    name: 'artists-next-page',
    current: current(`/artists?tier=established&limit=1&cursor=${secondPage}`),
    variant: variant(`/artists?tier=established&limit=1&cursor=${secondPage}`),
  },
  {
    name: 'artists-by-id',
    current: current('/artists?id=art_bv3j6i'),
    variant: variant('/artists?id=legacy%3A0007'),
  },
  { name: 'artists-by-unknown-id', current: current('/artists?id=art_none'), variant: variant('/artists?id=none') },
  {
    name: 'artists-by-id-of-the-other-form',
    current: current('/artists?id=legacy%3A0007'),
    variant: variant('/artists?id=art_bv3j6i'),
  },
  { name: 'artists-by-tier', current: current('/artists?tier=watch'), variant: variant('/artists?tier=watch') },
  {
    name: 'artists-by-unknown-tier',
    current: current('/artists?tier=legend'),
    variant: variant('/artists?tier=legend'),
  },
  {
    name: 'artists-by-name-or-signed',
    current: current('/artists?name=echo%20larch'),
    variant: variant('/artists?signed=TRUE&tier=breaking'),
  },
  {
    name: 'artists-with-history-or-basic-fields',
    current: current('/artists?include=history&added_since=2026-08-20'),
    variant: variant('/artists?fields=basic&new=2'),
  },
  {
    name: 'artists-without-editorial',
    current: request('/artists?id=art_5hn6ua', 'curRead01'),
    variant: request('/artists?id=66c98e85f249002f03068e2a', 'varPlain1'),
  },
  { name: 'artist-detail', current: current('/artists/art_7rf1ly'), variant: variant('/artists/art_7rf1ly') },
  { name: 'artist-detail-of-nobody', current: current('/artists/art_none'), variant: variant('/artists/none') },
  { name: 'added', current: current('/added'), variant: variant('/artists?new=7') },
  { name: 'added-limited', current: current('/added?days=30&limit=1'), variant: variant('/artists?new=30&limit=1') },
  { name: 'spikes', current: current('/spikes'), variant: variant('/spikes') },
  { name: 'spikes-over-a-week', current: current('/spikes?days=7'), variant: variant('/spikes?days=7') },
  { name: 'spikes-over-too-many-days', current: current('/spikes?days=31'), variant: variant('/spikes?days=31') },
  {
    name: 'added-over-too-many-days',
    current: current('/added?days=91'),
    variant: variant('/artists?new=91'),
  },
  { name: 'outage', current: request('/artists', 'curOutage'), variant: request('/artists', 'varOutage') },
  { name: 'internal-error', current: request('/artists', 'curBroken'), variant: request('/artists', 'varBroken') },
  { name: 'signings', current: current('/signings'), variant: variant('/signings') },
  {
    name: 'signings-without-notes',
    current: request('/signings', 'curRead01'),
    variant: request('/signings', 'varPlain1'),
  },
  {
    name: 'limit-not-a-number',
    current: current('/artists?tier=watch&limit=ten'),
    variant: variant('/artists?tier=watch&limit=ten'),
  },
  {
    name: 'limit-too-high',
    current: current('/artists?tier=watch&limit=101'),
    variant: variant('/artists?tier=watch&limit=201'),
  },
  {
    name: 'parameter-of-the-other-form',
    current: current('/artists?tier=watch&new=7'),
    variant: variant('/artists?tier=watch&added_since=2026-08-15'),
  },
  { name: 'no-key', current: request('/artists', null), variant: request('/artists', null) },
  {
    name: 'key-nobody-issued',
    current: request('/artists', null, { headers: strangersKey }),
    variant: request('/artists', null, { headers: strangersKey }),
  },
  { name: 'key-revoked', current: request('/artists', 'curRevoke'), variant: request('/artists', 'varRevoke') },
  {
    name: 'key-expired-or-suspended',
    current: request('/artists', 'curExpire'),
    variant: request('/artists', 'varSuspen'),
  },
  {
    name: 'scope-missing',
    current: request('/spikes', 'curArts01'),
    variant: request('/artists?limit=1', 'varPlain1'),
  },
  {
    name: 'override',
    current: request('/artists?limit=1', 'varSwitch', { headers: { 'X-Envelope': 'current' } }),
    variant: request('/artists?limit=1', 'curSwitch', { headers: { 'X-Envelope': 'variant' } }),
  },
  {
    name: 'override-not-allowed',
    current: current('/artists?limit=1', { headers: { 'X-Envelope': 'variant' } }),
    variant: variant('/artists?limit=1', { headers: { 'X-Envelope': 'current' } }),
  },
  {
    name: 'sunset',
    current: current('/artists?limit=1'),
    variant: request('/artists?limit=1', 'varSunset'),
  },
  {
    name: 'not-modified',
    current: current('/signings', { headers: { 'If-None-Match': '*' } }),
    variant: variant('/signings', { headers: { 'If-None-Match': '*' } }),
  },
  {
    name: 'method-not-allowed',
    current: current('/artists', { method: 'POST' }),
    variant: variant('/artists', { method: 'POST' }),
  },
  { name: 'path-unknown', current: current('/labels'), variant: variant('/labels') },
  {
    name: 'quota-window-spent',
    current: request('/artists?limit=1', 'curTight1', { times: 3 }),
    variant: request('/artists?limit=1', 'varHourly', { times: 4 }),
  },
  {
    name: 'quota-day-spent',
    current: request('/artists?limit=1', 'curTight1', { times: 6, every: 1800 }),
    variant: request('/artists?limit=1', 'varHourly', { times: 6, every: 1800 }),
  },
  { name: 'query-too-long', current: current(tooLong), variant: variant(tooLong) },
];
