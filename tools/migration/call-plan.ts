import { addDays, type Day } from '../../src/domain/day.ts';
import type { SeenCall } from './calls.ts';
import { requestedMove } from './evidence.ts';
import type { ComparedForm } from './mapping/forms.ts';
import { mapping } from './mapping/mapping.ts';
import { requestedNumber, type VariantFilter, variantParameter } from './mapping/request-rows.ts';

export interface ItemFilter {
  readonly member: 'tier' | 'signing.status' | 'date_added';
  readonly is: 'equal to' | 'not equal to' | 'not before' | 'not after';
  readonly value: string;
  /** What a value depends on that is another one tomorrow: `today`. */
  readonly meaning?: string;
}

/** What to send instead of a call so that it gives the same items. */
export interface CallPlan {
  /** The request below `/api/v1`; `undefined` where none is needed: the answer was always empty. */
  readonly target: string | undefined;
  /** How many days before today its `added_since` is: the day is another one tomorrow. */
  readonly daysBack?: number;
  readonly keep: readonly ItemFilter[];
  /**
   * How many items to stop at: further pages are read until there are this many, or no more.
   * `undefined` where one answer is all.
   */
  readonly upTo: number | undefined;
  readonly why: readonly string[];
}

export interface SamplePair {
  readonly fromId: string;
  readonly toId: string;
}

const unknownId = 'unknown-id';

const onlyYourFilter =
  'If only your filter leaves nothing, that is an empty list as today, no 404.';

/**
 * An example request of a call. Examples replace what usage omits: an identifier, another text, the
 * name of a parameter that no form has.
 */
export const targetOf = ({ call, status }: SeenCall, { fromId }: SamplePair): string =>
  call
    .replaceAll(/(?<=[?&]id=)\*/g, status === 404 ? unknownId : fromId)
    .replaceAll('>9999', '10000')
    .replaceAll('=*', '=text')
    .replace(/(?<=[?&])\*$/, 'other=1');

const { from, to } = requestedMove;

const rangeOf = (form: ComparedForm, path: string, name: string) => {
  const found = mapping.parameters.find(
    ({ [form]: one }) => one?.path === path && one.name === name,
  )?.[form]?.range;
  if (found === undefined) throw new Error(`The mapping has no range of ${path}?${name}=.`);
  return found;
};

const whole = /^[0-9]+$/;

/** True if a number counts as it was sent. */
const isUsed = (query: URLSearchParams, name: string, used: number | undefined): boolean =>
  whole.test(query.get(name) ?? '') && Number(query.get(name)) === used;

/** Why a query is refused by the current form, whatever it asks for. */
const refusals = (path: string, query: URLSearchParams): string[] => {
  const known = mapping.parameters.flatMap(({ [from]: one }) =>
    one?.path === path ? [one.name] : [],
  );
  const names = [...new Set(query.keys())];
  const used = (name: string): number | undefined =>
    requestedNumber(from, `${path}?${name}=${query.get(name)}`, name);
  return [
    ...names
      .filter((name) => query.getAll(name).length > 1)
      .map(
        (name) =>
          `\`${name}\` is sent twice: send only the first, which is the one used until now.`,
      ),
    ...names
      .filter((name) => used(name) !== undefined && !isUsed(query, name, used(name)))
      .map((name) => `\`${name}=${query.get(name)}\` was read as ${used(name)} until now.`),
    ...(names.some((name) => !known.includes(name))
      ? [
          'Leave out unknown parameters (here `other`). The variant form ignores them; the current form answers 400, or uses those that it knows.',
        ]
      : []),
  ];
};

interface PlanFacts {
  readonly today: Day;
  readonly pair: SamplePair;
}

/** What the current form has for one filter. */
interface Instead {
  readonly parameter?: string;
  readonly conditions: readonly ItemFilter[];
  readonly unchecked: readonly ItemFilter[];
  readonly daysBack?: number;
  readonly why?: string;
}

/** What takes the place of each filter; `undefined` for a value that it does not have. */
const filters: Readonly<
  Record<VariantFilter, (text: string, facts: PlanFacts) => Instead | undefined>
> = {
  documentId(id, { pair }) {
    if (id === '') return undefined;
    const none = { conditions: [], unchecked: [] };
    return id === unknownId
      ? {
          ...none,
          parameter: `id=${unknownId}`,
          why: 'An unknown identifier: instead of 404 you get an empty `data`. If only column `current` of `ids.csv` has it, send nothing and treat it as 404. If neither column has it, send it unchanged.',
        }
      : {
          ...none,
          parameter: `id=${pair.toId}`,
          why: 'The column `current` of `ids.csv` has the identifier to send. `data` stays a list.',
        };
  },
  tier(tier) {
    if (tier === '' || tier === 'text') return undefined;
    const isTier: ItemFilter = { member: 'tier', is: 'equal to', value: tier };
    return { parameter: `tier=${encodeURIComponent(tier)}`, conditions: [isTier], unchecked: [] };
  },
  signed(text) {
    const signed = text.toLowerCase();
    if (signed !== 'true' && signed !== 'false') return undefined;
    const is = signed === 'true' ? 'equal to' : 'not equal to';
    const conditions: ItemFilter[] = [{ member: 'signing.status', is, value: 'signed' }];
    const why =
      'There is no parameter `signed`: check `signing.status` of each artist (absent means not signed).';
    return { conditions, unchecked: conditions, why };
  },
  addedWithinDays(text, { today }) {
    if (!whole.test(text)) return undefined;
    const daysBack = Number(text);
    const day = addDays(today, -daysBack);
    const added = { member: 'date_added' } as const;
    const since: ItemFilter = {
      ...added,
      is: 'not before',
      value: day,
      meaning: `today minus ${daysBack} days`,
    };
    const until: ItemFilter = { ...added, is: 'not after', value: today, meaning: 'today' };
    const parameter = `added_since=${day}`;
    const why = `\`added_since\` is today (UTC) minus ${daysBack} days; \`/added\` has no such request.`;
    return { parameter, conditions: [since, until], unchecked: [until], daysBack, why };
  },
};

// `Object.keys` loses the names
const filterNames = Object.keys(filters) as readonly VariantFilter[];

/**
 * Of the current form's requests the cheapest that holds all items of a call: `/added` where it has
 * no other filter, `/artists` with the filters that the current form has, and pages where a page is
 * too short or items have to be left out.
 */
const planArtists = (query: URLSearchParams, facts: PlanFacts): CallPlan => {
  const why = refusals('/artists', query);
  if (query.has('fields'))
    why.push(
      query.get('fields') === 'basic'
        ? 'There is no parameter `fields`: drop what it left out (`songs`, and the scouting report if your key gets it); `total_songs` is the length of `songs`.'
        : 'There is no parameter `fields`.',
    );
  const sent = new Map(
    filterNames.flatMap((name) => {
      const text = query.get(variantParameter(name));
      return text === null ? [] : [[name, filters[name](text, facts)] as const];
    }),
  );
  const understood = [...sent.values()].filter((one) => one !== undefined);
  if (understood.length < sent.size)
    return {
      target: undefined,
      keep: [],
      upTo: undefined,
      why: ['One of its filters is invalid: the response has always been empty.', ...why],
    };
  const byId = sent.get('documentId');
  if (byId !== undefined) {
    const keep = understood.flatMap(({ conditions }) => conditions);
    const left = keep.length === 0 ? [] : [onlyYourFilter];
    return {
      target: `/artists?${byId.parameter}`,
      keep,
      upTo: undefined,
      why: [byId.why ?? '', ...left, ...why],
    };
  }
  const limit = requestedNumber(from, `/artists?${query}`, 'limit') ?? 0;
  const [ownMax, addedDays] = [rangeOf(to, '/artists', 'limit'), rangeOf(to, '/added', 'days')];
  const daysBack = sent.get('addedWithinDays')?.daysBack;
  const isAdded = daysBack !== undefined && sent.size === 1 && limit <= ownMax.max;
  if (isAdded && daysBack >= addedDays.min && daysBack <= addedDays.max)
    return {
      target: `/added?days=${daysBack}${query.has('limit') ? `&limit=${limit}` : ''}`,
      keep: [],
      upTo: undefined,
      why: ['Another path for the same artists.', ...why],
    };
  const keep = understood.flatMap(({ unchecked }) => unchecked);
  const isOnePage = keep.length === 0 && limit <= ownMax.max;
  why.push(...understood.flatMap((instead) => instead.why ?? []));
  if (!query.has('limit') && isOnePage)
    why.push(`Without \`limit\` a page has ${ownMax.default} artists instead of ${limit}.`);
  if (limit > ownMax.max) why.push(`A page has at most ${ownMax.max} artists.`);
  if (!query.has('limit') && !isOnePage)
    why.push(`Without \`limit\` a list had at most ${limit} artists until now.`);
  const parameters = understood.flatMap(({ parameter }) => parameter ?? []);
  return {
    target: `/artists?${[...parameters, `limit=${isOnePage ? limit : ownMax.max}`].join('&')}`,
    ...(daysBack === undefined ? {} : { daysBack }),
    keep,
    upTo: isOnePage ? undefined : limit,
    why,
  };
};

/**
 * What to send instead of a request of the variant form (path and query below `/api/v1`), so that
 * the answer has the same items on any day and with any number of artists.
 */
export const planCall = (target: string, today: Day, pair: SamplePair): CallPlan => {
  const [path = '', text = ''] = target.split('?');
  const query = new URLSearchParams(text);
  if (path === '/artists') return planArtists(query, { today, pair });
  const days = query.has('days') ? requestedNumber(from, target, 'days') : undefined;
  return {
    target: days === undefined ? path : `${path}?days=${days}`,
    keep: [],
    upTo: undefined,
    why: path === '/health' ? [] : refusals(path, query),
  };
};

/** True if a call is sent after the move as it is sent today. */
export const isSameCall = (target: string, plan: CallPlan): boolean =>
  plan.target === target && plan.upTo === undefined && plan.keep.length === 0;

/**
 * The most requests that a call takes with this number of artists: pages of the current form, until
 * it has found what it looks for. Artists with a `date_added` after today are not considered.
 */
export const maxRequestsOf = ({ keep, upTo }: CallPlan, artists: number): number => {
  if (upTo === undefined) return 1;
  const { max } = rangeOf(to, '/artists', 'limit');
  const isScan = keep.some(({ member }) => member !== 'date_added');
  return Math.max(1, Math.ceil((isScan ? artists : Math.min(upTo, artists)) / max));
};
