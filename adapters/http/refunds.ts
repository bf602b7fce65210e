import type { Problem } from '../../src/domain/problem.ts';
import { type Charge, windowLengthMs } from '../../src/quota/quota.ts';
import type { QuotaPolicy } from '../forms/form.ts';

type Charges = readonly Charge<QuotaPolicy>[];

/** The units that a subject got back in the window that ends then. */
interface Returned {
  readonly endsAt: number;
  units: number;
}

/**
 * Creates the function that divides the charges of a failed request into those that are refunded
 * and those that are kept (decisions, "Quotas"). Only a 5xx and a 401 are refunded, and no 5xx that
 * the caller itself caused. A caller gets back at most as many units of its shortest window for a
 * 5xx as that window has; beyond that it keeps being charged there, and so is slowed, but the
 * longer windows are refunded.
 */
export const createRefunds = () => {
  const returned = new Map<string, Returned>(); // one for each subject of a key that was issued

  const isReturned = ({
    allowance: { subject, limit, window },
    status: { endsAt },
  }: Charge<QuotaPolicy>): boolean => {
    const known = returned.get(subject);
    // Of the window before, which is over: a unit returned there buys nothing. A later one was of a
    // clock that was set back.
    if (known !== undefined && known.endsAt - endsAt === windowLengthMs(window)) return false;
    const entry = known?.endsAt === endsAt ? known : { endsAt, units: 0 };
    returned.set(subject, entry);
    entry.units += 1;
    return entry.units <= limit;
  };

  return (
    charges: Charges,
    status: number,
    problem: Problem,
  ): { refunded: Charges; kept: Charges } => {
    const isFailure = status >= 500 && !problem.isCallersDoing;
    if (status !== 401 && !isFailure) return { refunded: [], kept: charges };
    const [shortest, ...longer] = charges;
    if (status === 401 || shortest === undefined || isReturned(shortest))
      return { refunded: charges, kept: [] };
    return { refunded: longer, kept: [shortest] };
  };
};
