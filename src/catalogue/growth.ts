/** A decimal as whole digits and a power of ten to divide them by. */
interface Decimal {
  readonly digits: bigint;
  readonly places: number;
}

/** The shortest decimal notation of a number. */
const decimalOf = (value: number): Decimal => {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places };
};

const numberOf = ({ digits, places }: Decimal): number => Number(`${digits}e-${places}`);

/** The digits of decimals over a common power of ten. */
const toSamePlaces = (decimals: readonly Decimal[]) => {
  const places = Math.max(...decimals.map((decimal) => decimal.places));
  return {
    places,
    digits: decimals.map((decimal) => decimal.digits * 10n ** BigInt(places - decimal.places)),
  };
};

interface Growth {
  readonly delta: number;
  readonly percentChange: number;
}

/**
 * True if plain numbers give the exact growth, in a tenth of the time: all values are whole and so
 * small that no product is rounded. A quotient of such numbers is never rounded up to a whole
 * number.
 */
const staysExact = (previous: number, current: number, thresholdPercent: number): boolean =>
  Number.isInteger(previous) &&
  Number.isInteger(current) &&
  Number.isInteger(thresholdPercent) &&
  current * 20_000 + previous * thresholdPercent <= Number.MAX_SAFE_INTEGER;

/**
 * The growth from one positive value to a larger one; `undefined` below the threshold. The
 * difference is exact: 5597.13 - 4628.98 is 968.15, not 968.1500000000005. The percentage is
 * rounded once, half up, to two decimals.
 */
export const growthOf = (
  previous: number,
  current: number,
  thresholdPercent: number,
): Growth | undefined => {
  if (current <= previous) return undefined;
  // Decides most pairs quickly: 101 instead of 100, so that rounding drops none at the threshold.
  if (current < previous * (1 + thresholdPercent / 101)) return undefined;
  if (staysExact(previous, current, thresholdPercent)) {
    const difference = current - previous;
    if (difference * 100 < thresholdPercent * previous) return undefined;
    const percentChange = Math.floor((difference * 20_000 + previous) / (2 * previous)) / 100;
    return { delta: difference, percentChange };
  }
  const { places, digits } = toSamePlaces([decimalOf(previous), decimalOf(current)]);
  const [from = 0n, to = 0n] = digits;
  const delta = to - from;
  const threshold = decimalOf(thresholdPercent);
  if (delta * 100n * 10n ** BigInt(threshold.places) < threshold.digits * from) return undefined;
  const hundredths = (delta * 20_000n + from) / (2n * from);
  return {
    delta: numberOf({ digits: delta, places }),
    percentChange: numberOf({ digits: hundredths, places: 2 }),
  };
};
