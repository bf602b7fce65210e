import { isOverLimit, type Pair, type Route } from './random-questions.ts';

/**
 * What the decisions say about the parameters of the variant form, written a second time. Of its bodies the second description is
 * `examples/moving`, which makes them from the current form.
 */

/** The value that the form uses for the first one given, and whether it takes that as it is. */
interface Reading {
  readonly used: string;
  readonly isTaken: boolean;
}

type Read = (value: string) => Reading;

const isDigits = (value: string): boolean => /^[0-9]+$/.test(value);

/** A filter, which matches nothing when it cannot be understood. */
const filter =
  (isUnderstood: (value: string) => boolean, tell = (value: string) => value): Read =>
  (value) =>
    isUnderstood(value) ? { used: tell(value), isTaken: true } : { used: 'none', isTaken: false };

const number =
  (fallback: number, max: number): Read =>
  (value) => {
    const used = isDigits(value) ? Math.min(Math.max(Number(value), 1), max) : fallback;
    return { used: String(used), isTaken: isDigits(value) && used === Number(value) };
  };

const tiers = ['watch', 'on-the-rise', 'breaking', 'established'];

const parameters: Readonly<Partial<Record<Route, Readonly<Record<string, Read>>>>> = {
  artists: {
    id: filter(
      (value) => value !== '',
      () => 'first',
    ),
    new: (value) => {
      const used = Math.min(Number(value), 2 ** 53 - 1);
      return isDigits(value)
        ? { used: String(used), isTaken: used === Number(value) }
        : { used: 'none', isTaken: false };
    },
    tier: filter((value) => tiers.includes(value)),
    signed: filter(
      (value) => /^(true|false)$/i.test(value),
      (value) => value.toLowerCase(),
    ),
    fields: (value) => ({ used: value === 'basic' ? 'basic' : 'all', isTaken: value === 'basic' }),
    limit: number(100, 200),
  },
  spikes: { days: number(3, 30) },
};

/** The entries of `X-Params-Adjusted`, sorted; none when every parameter is used as it was sent. */
export const adjustedBy = (route: Route, pairs: readonly Pair[]): readonly string[] => {
  if (isOverLimit(pairs)) return ['query=none'];
  const known = Object.entries(parameters[route] ?? {});
  const adjusted = known.flatMap(([name, read]) => {
    const [first, ...more] = pairs.filter((pair) => pair.name === name);
    if (first === undefined) return [];
    const { used, isTaken } = read(first.value);
    return isTaken && more.length === 0 ? [] : [`${name}=${used}`];
  });
  const names = pairs.map(({ name }) => name).filter((name) => !known.some(([one]) => one === name));
  const unknown = new Set(names).size;
  return [...adjusted, ...(unknown > 0 ? [`unknown=${unknown}`] : [])].sort();
};
