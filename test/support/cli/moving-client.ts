import { z } from 'zod';
import type { Month } from './moving-month.ts';

/** One call of the partner's client and its response. */
export interface Call {
  readonly path: string;
  readonly status: number;
  readonly served: string;
  /** `9 of 10 left`, for each window. */
  readonly quota: string;
}

/** The data that the partner's client read, the same in both forms, and its calls. */
export interface Learned {
  readonly added: readonly string[];
  readonly all: readonly string[];
  readonly favourites: readonly string[];
  readonly calls: readonly Call[];
}

const named = z.looseObject({ name: z.string() });
const list = z.looseObject({ data: z.array(named) });
const page = z.looseObject({ data: z.array(named), meta: z.looseObject({ next_cursor: z.string().nullable() }) });
const detail = z.looseObject({ data: named });

const namesOf = ({ data }: { readonly data: readonly { readonly name: string }[] }): string[] =>
  data.map(({ name }) => name).sort();

const quotaText = (headers: Record<string, string>): string =>
  ['x-ratelimit', 'x-ratelimit-day']
    .filter((prefix) => `${prefix}-limit` in headers)
    .map((prefix) => `${headers[`${prefix}-remaining`]} of ${headers[`${prefix}-limit`]} left`)
    .join(', ');

const createCalls = ({ gateway, partner }: Month) => {
  const calls: Call[] = [];
  return {
    calls,
    async get(path: string): Promise<unknown> {
      const { status, headers, text } = await gateway.get(`/api/v1/${path}`, partner.text);
      calls.push({ path, status, served: headers['x-envelope-served'] ?? '', quota: quotaText(headers) });
      return JSON.parse(text);
    },
  };
};

/** The client written for the variant form. */
export const readVariant = async (month: Month, documentIds: readonly string[]): Promise<Learned> => {
  const { calls, get } = createCalls(month);
  const added = namesOf(list.parse(await get('artists?new=1')));
  const all = namesOf(list.parse(await get('artists?limit=200&fields=basic')));
  const favourites: string[] = [];
  for (const id of documentIds) favourites.push(...namesOf(list.parse(await get(`artists?id=${id}`))));
  await get('spikes');
  await get('signings');
  return { added, all, favourites, calls };
};

/** The same client after its parameters and members were renamed, and its identifiers rewritten. */
export const readCurrent = async (month: Month, ids: readonly string[]): Promise<Learned> => {
  const { calls, get } = createCalls(month);
  const added = namesOf(list.parse(await get('added?days=1')));
  const all: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = cursor === '' ? 'artists?limit=100' : `artists?limit=100&cursor=${cursor}`;
    const { data, meta } = page.parse(await get(path));
    all.push(...namesOf({ data }));
    cursor = meta.next_cursor;
  }
  const favourites: string[] = [];
  for (const id of ids) favourites.push(detail.parse(await get(`artists/${id}`)).data.name);
  await get('spikes');
  await get('signings');
  return { added, all: all.sort(), favourites, calls };
};

/** The responses to the unchanged client. */
export const readUnchanged = async (month: Month): Promise<readonly Call[]> => {
  const { calls, get } = createCalls(month);
  await get('artists?new=1');
  await get('artists?limit=200&fields=basic');
  await get('artists?id=doc0001');
  return calls;
};
