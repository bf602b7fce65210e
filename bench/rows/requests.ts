import { recordPages, recordRequests, requestsFor, revalidationsOf } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { dayBefore, generateArtist } from '../catalogue/artists.ts';
import type { Request } from '../load/messages.ts';
import { pagesInRotation, variantPages } from './gateways.ts';

/** More questions than answers are cached: every one is asked anew, of the same artists. */
const newQuestions = Array.from(
  { length: 600 },
  (_, index) => `/api/v1/artists?limit=50&added_since=${dayBefore(500 + index)}`,
);

const compressed = ({ path, headers, status }: Request): Request => ({
  path,
  status,
  headers: { ...headers, 'Accept-Encoding': 'gzip' },
});

export type KindOfRequest = readonly [name: string, record: () => Promise<readonly Request[]>];

/** The requests by which two gateways are compared, by the name that `--only` gives them; recorded when their turn comes. */
export const kindsOfRequests = ({ keys }: Bench, url: string): readonly KindOfRequest[] => {
  const recorded = () => recordPages(url, keys.current, { max: pagesInRotation });
  const page = async () => requestsFor(await recorded(), keys.current);
  const history = () => recordRequests(url, [`/api/v1/artists/${generateArtist(0).id}`], keys.current);
  return [
    ['page', page],
    ['variant', () => recordRequests(url, variantPages, keys.variant)],
    ['gzip', async () => (await page()).map(compressed)],
    ['not-modified', async () => revalidationsOf(await recorded(), keys.current)],
    ['new-answers', () => recordRequests(url, newQuestions, keys.limited)],
    ['history', history],
    ['history-gzip', async () => (await history()).map(compressed)],
  ];
};
