/**
 * Malformed and hostile queries, and how each form answers them. The numbers are those of the specification's catalogue of
 * bad inputs; its decisions take precedence where the two differ.
 */
export interface BadQuery {
  readonly number: number;
  /** `/api/v1/artists` by default. */
  readonly path?: string;
  readonly query: string;
  /** The status in the current form. */
  readonly current: 200 | 400 | 404 | 431;
  /** The number of items in the current form, where it distinguishes the answer. */
  readonly items?: number;
  /** `X-Params-Adjusted` of the variant form; absent by default. */
  readonly adjusted?: string;
  readonly variantItems?: number;
  /** The status in the variant form; 200 by default. */
  readonly variant?: 404 | 431;
}

const spikes = '/api/v1/spikes';
const added = '/api/v1/added';
const clampedOrDefault = 'limit=100';

/** Numbers that the current form refuses, and the value that the variant form uses instead. */
const badLimits: readonly (readonly [number: number, query: string, used: string])[] = [
  [1, 'limit=0', 'limit=1'],
  [2, 'limit=201', 'limit=200'],
  [3, 'limit=', clampedOrDefault],
  [4, 'limit=0x10', clampedOrDefault],
  [5, 'limit=1e2', clampedOrDefault],
  [6, 'limit=5.0', clampedOrDefault],
  [7, 'limit=%205%20', clampedOrDefault],
  [8, 'limit=%2B5', clampedOrDefault],
  [10, 'limit=0b11', clampedOrDefault],
  [11, 'limit=50%0a', clampedOrDefault],
  [12, 'limit=-0', clampedOrDefault],
  [12, 'limit=-1', clampedOrDefault],
  [13, 'limit=NaN', clampedOrDefault],
  [13, 'limit=Infinity', clampedOrDefault],
  [13, 'limit=true', clampedOrDefault],
  [13, 'limit=1_0', clampedOrDefault],
  [13, 'limit=%D9%A5', clampedOrDefault],
  [14, 'limit=99999999999999999999', 'limit=200'],
  [14, `limit=${'9'.repeat(400)}`, 'limit=200'],
  [15, 'limit=1&limit=2', 'limit=1'],
  [16, 'limit=1;name=x', clampedOrDefault],
];

/** Names that neither form has, or only the current form. */
const unknown: readonly (readonly [number: number, query: string, count: number])[] = [
  [17, 'LIMIT=5', 1],
  [18, 'lmit=5', 1],
  [20, '?limit=5', 1],
  [21, '&&&=&', 1],
  [22, 'name=a&name=b', 1],
  [23, 'name[$ne]=1', 1],
  [23, 'name[]=a', 1],
  [24, 'name[$regex]=.*', 1],
  [25, '__proto__=y&__proto__[x]=1', 2],
  [25, 'constructor=x', 1],
  [28, `name=${'a'.repeat(121)}`, 1],
  [29, `name=${'%F0%9F%8E%B5'.repeat(121)}`, 1],
  [31, 'name=%ff%fe', 1],
  [31, 'name=%ED%A0%80', 1],
  [32, 'name=100%', 1],
  [32, 'name=%zz', 1],
  [37, 'added_since=2026-02-30', 1],
  [37, 'added_since=2023-02-29', 1],
  [39, 'added_since=2026-1-1', 1],
  [39, 'added_since=20260101', 1],
  [39, 'added_since=2026-01-01T00:00:00Z', 1],
  [39, 'added_since=2026-01-01%20', 1],
  [39, 'added_since=2026-01-01%0a', 1],
  [40, 'added_since=0000-01-01', 1],
  [42, 'include=History', 1],
  [42, 'include=history,x', 1],
  [42, 'include=', 1],
  [48, 'cursor=garbage', 1],
  [48, 'cursor=', 1],
  [51, `cursor=${'A'.repeat(1_900)}`, 1],
  [51, 'cursor=eyJfX3Byb3RvX18iOnt9fQ', 1],
  [54, Array.from({ length: 40 }, (_, index) => `p${index}=x`).join('&'), 40],
  [75, '_method=DELETE', 1],
  [83, 'api_key=x', 1],
];

/** Values that the current form takes literally. */
const literal: readonly (readonly [number: number, query: string, items: number])[] = [
  [24, 'name=%7B%22%24gt%22%3A%22%22%7D', 0],
  [27, 'name=%20%20', 0],
  [28, `name=${'a'.repeat(120)}`, 0],
  [29, `name=${'%F0%9F%8E%B5'.repeat(120)}`, 0],
  [30, 'name=a%00b', 0],
  [30, 'name=a%7Fb', 0],
  [30, 'name=%09', 0],
  [33, 'name=(a%2B)%2B%24', 0],
  [33, 'name=.*', 0],
  [33, 'name=%5B', 0],
  [33, 'name=%5C', 0],
  [35, 'name=echo+larch', 2],
  [36, 'name=%E2%80%AE', 0],
  [38, 'added_since=2024-02-29', 10],
  [40, 'added_since=0001-01-01', 10],
  [40, 'added_since=9999-12-31', 0],
  [41, 'added_since=2026-08-23', 0],
];

export const badQueries: readonly BadQuery[] = [
  ...badLimits.map(([number, query, adjusted]): BadQuery => ({ number, query, current: 400, adjusted })),
  ...unknown.map(([number, query, count]): BadQuery => ({ number, query, current: 400, adjusted: `unknown=${count}` })),
  ...literal.map(([number, query, items]): BadQuery => ({ number, query, current: 200, items, adjusted: 'unknown=1' })),
  { number: 2, query: 'limit=101', current: 400 },
  { number: 9, query: 'limit=010', current: 200, items: 10, variantItems: 10 },
  { number: 19, query: '%6cimit=5', current: 200, items: 5, variantItems: 5 },
  { number: 43, query: 'tier=nope', current: 200, items: 0, variantItems: 0, adjusted: 'tier=none' },
  { number: 43, query: 'tier[]=watch', current: 400, adjusted: 'unknown=1' },
  { number: 44, query: 'tier=', current: 400, variantItems: 0, adjusted: 'tier=none' },
  { number: 44, query: 'signed=maybe', current: 400, variantItems: 0, adjusted: 'signed=none' },
  { number: 44, query: 'new=abc', current: 400, variantItems: 0, adjusted: 'new=none' },
  { number: 44, query: 'id=', current: 400, variantItems: 0, adjusted: 'id=none' },
  { number: 65, query: 'id=xyz', current: 200, items: 0, variant: 404 },
  { number: 45, path: spikes, query: 'days=0', current: 400, adjusted: 'days=1' },
  { number: 45, path: spikes, query: 'days=31', current: 400, adjusted: 'days=30' },
  { number: 45, path: spikes, query: 'days=x', current: 400, adjusted: 'days=3' },
  { number: 45, path: added, query: 'days=0', current: 400, variant: 404 },
  { number: 45, path: added, query: 'days=91', current: 400, variant: 404 },
  { number: 51, query: `cursor=${'A'.repeat(5_000)}`, current: 431, variantItems: 0, adjusted: 'query=none' },
  { number: 53, query: 'a&'.repeat(1_025), current: 431, variantItems: 0, adjusted: 'query=none' },
  { number: 53, query: 'a&'.repeat(8_000), current: 431, variant: 431 },
];
