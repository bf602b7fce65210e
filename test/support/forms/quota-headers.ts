import { parseList } from 'structured-headers';
import type { RawReply } from '../raw.ts';

/** One quota as a response reports it. */
export interface ReportedQuota {
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Until the window ends. */
  readonly secondsLeft: number;
}

/** The items of a structured list: their names, and the parameters in their order. */
const itemsOf = (field: string | readonly string[] | undefined) =>
  parseList(String(field ?? '')).map(([name, parameters]) => ({ name: String(name), parameters: [...parameters] }));

/** Reads `RateLimit-Policy` and `RateLimit`. Throws when a field is no structured list or has other parameters. */
export const structuredQuotas = ({ headers }: RawReply): readonly ReportedQuota[] => {
  const limits = itemsOf(headers['ratelimit']);
  return itemsOf(headers['ratelimit-policy']).map(({ name, parameters: policy }, index) => {
    const limit = limits[index];
    const names = [...policy, ...(limit?.parameters ?? [])].map(([parameter]) => parameter).join();
    if (limit?.name !== name || names !== 'q,w,r,t') throw new Error(`${name} and ${limit?.name} have ${names}.`);
    const [q, w, r, t] = [...policy, ...limit.parameters].map(([, value]) => Number(value));
    return { name, limit: q ?? 0, windowSeconds: w ?? 0, remaining: r ?? 0, secondsLeft: t ?? 0 };
  });
};

const windows = [
  { prefix: 'x-ratelimit', name: 'minute', windowSeconds: 60 },
  { prefix: 'x-ratelimit-day', name: 'day', windowSeconds: 86_400 },
] as const;

/** The same from the `X-RateLimit-*` headers of a key of the current form; `now` is the time of the response, in epoch milliseconds. */
export const quotasOfXRateLimit = ({ headers }: RawReply, now: number): readonly ReportedQuota[] =>
  windows.map(({ prefix, name, windowSeconds }) => ({
    name,
    limit: Number(headers[`${prefix}-limit`]),
    windowSeconds,
    remaining: Number(headers[`${prefix}-remaining`]),
    secondsLeft: Math.ceil(Number(headers[`${prefix}-reset`]) - now / 1000),
  }));
