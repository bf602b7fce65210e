import { variantForm } from '../../adapters/forms/variant/form.ts';
import { parseArtists } from '../../adapters/forms/variant/params.ts';
import { readQuery, splitTarget } from '../../adapters/http/request-target.ts';
import { dayOf } from '../../src/domain/day.ts';
import { dayMs } from '../../src/domain/time.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { noLog } from '../../src/runtime/no-log.ts';
import {
  ApiError,
  healthPath,
  isRecord,
  nowOf,
  printable,
  type Quota,
  type Reply,
  Service,
  SettingError,
} from '../shared/http.ts';
import { type Call, dayPattern } from './calls.ts';
import type { Given } from './given.ts';
import { openLocal } from './local.ts';
import {
  type Ask,
  askOf,
  cannotChoose,
  createRemoteCatalogue,
  pageSize,
} from './remote-catalogue.ts';

const artistsPath = '/api/v1/artists';
const signingsPath = '/api/v1/signings';

interface CheckOptions {
  readonly service: Service;
  readonly given: Given;
  readonly partner: string;
  /** Fields that are not compared. */
  readonly exempt: readonly string[];
  readonly print: (line: string) => void;
}

/** The parts of a variant call that decide how the new call is read. */
const readCall = (target: string) => {
  const { path, query } = splitTarget(target);
  const { filters, limit } = parseArtists(readQuery({ text: '', path, query }), {}).query;
  const isThinned = filters.signed !== undefined || filters.addedWithinDays !== undefined;
  const isOfArtists = path === artistsPath;
  /** Without such a filter or limit in the current form a program reads further pages. */
  const hasPages = isOfArtists && (isThinned || limit > pageSize);
  return { path, query, isOfArtists, hasPages, isNothing: filters.nothing === true };
};

/** Reads only the data of a new call. */
const narrow = (ask: Ask, { target, instead }: Call): Ask => {
  const { isOfArtists, hasPages } = readCall(target);
  const nothing = { headers: new Headers(), body: { data: [], meta: {} } };
  const replies = new Map<string, ReturnType<Ask>>();
  return async (asked, retries) => {
    if (asked === healthPath) return ask(asked, retries);
    if (asked.startsWith(signingsPath)) return nothing;
    if (asked.startsWith(artistsPath) !== isOfArtists) return nothing;
    const cursor = /&cursor=.*$/.exec(asked)?.[0].slice(1);
    const after = cursor === undefined ? '' : `${instead.includes('?') ? '&' : '?'}${cursor}`;
    const path = instead + after;
    const reading = replies.get(path) ?? ask(path, retries);
    replies.set(path, reading);
    const { headers, body } = await reading.catch((failure: ApiError) => {
      if (failure.status === 404) return nothing;
      throw failure;
    });
    const { data, meta } = isRecord(body) ? body : {};
    if (!isRecord(meta)) return { headers, body };
    const isOne = isRecord(data); // the detail of one artist
    const last = isOne || !hasPages ? { next_cursor: null } : {};
    return { headers, body: { data: isOne ? [data] : data, meta: { ...meta, ...last } } };
  };
};

/** A variant call without the filters that the new call must have. */
const widen = (target: string): string => {
  const { path, query, isOfArtists, hasPages, isNothing } = readCall(target);
  if (!isOfArtists) return target;
  const parameters = new URLSearchParams(query);
  const others = isNothing ? ['signed', 'new'] : [];
  for (const name of ['tier', 'id', ...others]) parameters.delete(name);
  if (parameters.has('new')) parameters.set('new', String(Number.MAX_SAFE_INTEGER));
  if (!hasPages) parameters.set('limit', '200');
  return `${path}?${parameters}`;
};

/** The maximum number of requests, with one load of the artists. */
const costOf = (calls: readonly Call[], artists: number): number => {
  const pagesOf = (limit: number) => Math.max(1, Math.ceil(artists / limit));
  const costs = calls.map(({ target, instead }) => {
    if (instead === '' || instead === '-' || instead.startsWith(signingsPath)) return 1;
    const { hasPages } = readCall(target);
    const [, limit = 50] = /[?&]limit=(\d+)/.exec(instead) ?? [];
    return 1 + (hasPages ? pagesOf(Math.min(Math.max(Number(limit), 1), pageSize)) : 1);
  });
  const isLoaded = calls.some(({ instead }) => instead === '' || instead.startsWith(signingsPath));
  return costs.reduce((sum, cost) => sum + cost, isLoaded ? pagesOf(pageSize) + 2 : 0);
};

/** The seconds for a number of requests. A variant key has an hour and no day. */
const secondsFor = (requests: number, { minute, day }: Quota, now: number): number => {
  const windows = [
    { window: minute, length: day === undefined ? 3_600 : 60 },
    { window: day, length: 86_400 },
  ];
  const times = windows.map(({ window, length }) => {
    if (window === undefined || requests <= window.remaining) return 0;
    const more = Math.ceil((requests - window.remaining) / Math.max(window.limit, 1)) - 1;
    return (window.reset.getTime() - now) / 1_000 + more * length;
  });
  return Math.max(...times);
};

/** The values in a response as JSON, by place. */
const valuesOf = (value: unknown, place = ''): readonly (readonly [string, string])[] => {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return [[place, JSON.stringify(value)]];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([name, part]) =>
    valuesOf(part, isList ? `${place}[${name}]` : `${place}.${name}`.replace(/^\./, '')),
  );
};

/** The first difference between two responses; empty if their bytes are equal. */
const differenceBetween = (
  theirs: Reply,
  ours: Reply,
  exempt: readonly string[],
  { documentIds }: Given,
): string => {
  const mapOf = ({ status, headers, body }: Reply) =>
    new Map(
      valuesOf({
        'HTTP status': status,
        'X-Params-Adjusted': headers.get('X-Params-Adjusted') ?? '',
        ...Object(body),
      }),
    );
  const [one, other] = [mapOf(theirs), mapOf(ours)];
  const place = [...one.keys(), ...other.keys()].find(
    (at) => one.get(at) !== other.get(at) && !exempt.includes(at),
  );
  const [mine, its] = [one, other].map((of) =>
    printable(of.get(place ?? '') ?? 'nothing').slice(0, 200),
  );
  if (place === undefined) {
    const isSame = [...one.keys()].join() === [...other.keys()].join();
    return isSame && theirs.text === JSON.stringify(theirs.body)
      ? ''
      : 'Order or spelling: fields are equal, the bytes are not';
  }
  const ids = [...documentIds.values()].map((id) => JSON.stringify(id));
  const isLacking = /^data\[\d+\]\.id$/.test(place) && !ids.includes(its ?? '');
  const lacks = isLacking && other.has(place) ? '. ids.csv lacks it: ask for a new list' : '';
  return `${place}: ${mine} in the variant form, ${its} from the current form${lacks}`;
};

/** Compares calls of the two forms. The list is loaded when a call first needs it. */
const createComparison = ({ service, given, partner, exempt }: CheckOptions) => {
  const askCurrent = askOf(service);
  const open = async (of: Ask) => {
    const ask = (path: string) => of(path, true);
    const catalogue = createRemoteCatalogue({
      ...given,
      ...{ ask, service, clock: systemClock(), isPaced: false },
    });
    const local = await openLocal({
      ...{ catalogue, partner, form: variantForm, host: '127.0.0.1', port: 0, log: noLog },
    });
    try {
      await local.refresh();
      return local;
    } catch (failure) {
      await local.close();
      throw failure;
    }
  };
  let whole: ReturnType<typeof open> | undefined;
  const askLocal = (url: string, target: string) =>
    new Service('check', { url, key: 'x' }).send(target);
  const ask = (target: string, form: string): Promise<Reply> =>
    service.ask(target, { 'X-Envelope': form }).catch((failure: unknown) => {
      const { reply, status, fromService } = failure as ApiError; // or another error, without them
      const isRead = status === 404 || (status === 400 && form === variantForm.name);
      if (isRead && fromService && reply !== undefined) return reply;
      throw failure;
    });
  const askVariant = async (target: string): Promise<Reply> => {
    const reply = await ask(target, variantForm.name);
    if (reply.headers.get('X-Envelope-Served') === variantForm.name) return reply;
    throw new ApiError(`${cannotChoose}.`);
  };

  const differenceWith = async (theirs: Reply, { target, instead }: Call): Promise<string> => {
    const compare = (ours: Reply, more: readonly string[] = []): string =>
      differenceBetween(theirs, ours, [...exempt, ...more], given);
    if (instead === '' || (instead.startsWith(signingsPath) && target.startsWith(signingsPath))) {
      whole ??= open(askCurrent);
      return compare(await askLocal((await whole).url, target));
    }
    if (target === healthPath) return compare(await ask(instead, 'current'));
    const local = await open(narrow(askCurrent, { target, instead }));
    const ours = await askLocal(local.url, widen(target)).finally(local.close);
    const { count = 0 } = Object(ours.body);
    if (theirs.status === 404 && count === 0) return '';
    return compare(ours, ['X-Params-Adjusted']);
  };

  return {
    askVariant,
    async differenceOf({ target, instead }: Call, theirs: Reply): Promise<string> {
      const { count = 0 } = Object(theirs.body);
      if (instead === '-')
        return count === 0 ? '' : `count: ${count} in the variant form, nothing is sent`;
      const { generated_at: now } = instead.includes('{')
        ? Object((await service.send(healthPath)).body)
        : {};
      const call = instead.replace(dayPattern, (_text, days = 0) =>
        dayOf(Date.parse(now) - Number(days) * dayMs),
      );
      return differenceWith(theirs, { target, instead: call });
    },
    refresh: async () => (await whole)?.refresh(),
    close: () => whole?.then((local) => local.close()).catch(() => {}), // it was reported
  };
};

/** Seconds before a call that differs is compared again, as the data may have changed. */
const pause = 20;
const maxTimes = 3;

/** Compares calls up to the first that differs, and prints the result. Returns true if all are equal. */
export const check = async (calls: readonly Call[], options: CheckOptions): Promise<boolean> => {
  const { service, given, exempt, print } = options;
  const comparison = createComparison(options);
  try {
    const cost = costOf(calls, given.documentIds.size);
    print(
      `${calls.length} calls cost at most ${cost} requests. Not compared: ${exempt.join(', ')}.`,
    );
    const first = await comparison.askVariant(calls[0]?.target ?? healthPath);
    const seconds = secondsFor(cost, service.quota, nowOf(first));
    const duration = `Within the quota this takes at most ${Math.ceil(seconds / 60) || 1} min`;
    if (seconds > service.longestWait) throw new ApiError(`${duration}: --wait waits.`);
    print(`${duration}.`);
    for (const [number, call] of calls.entries()) {
      const name = call.target + (call.instead === '' ? '' : ` with ${call.instead} instead`);
      const soFar = `${number} of ${calls.length} equal, then ${name}`;
      for (let times = 1; ; times++) {
        const isFirst = number === 0 && times === 1;
        const compared = Promise.resolve(isFirst ? first : comparison.askVariant(call.target)).then(
          (theirs) => comparison.differenceOf(call, theirs),
        );
        const difference = await compared.catch((failure: Error) => {
          print(`${soFar} has no answer.`);
          throw failure instanceof SettingError ? new ApiError(`${cannotChoose}.`) : failure;
        });
        if (difference === '') break;
        if (times === maxTimes) {
          print(`${soFar} differs:\n${difference}`);
          return false;
        }
        service.notice(`${name} differs: asking again in ${pause} s`);
        await service.sleep(pause);
        await comparison.refresh();
      }
    }
    print(`${calls.length} of ${calls.length} equal`);
    return true;
  } finally {
    await comparison.close();
  }
};
