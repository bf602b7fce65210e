import type { Allowance } from '../../../src/domain/caller.ts';
import type { Clock, QuotaStatus } from '../../../src/ports.ts';
import { reasonOf } from './errors.ts';

/**
 * Whether a Cluster refused a command because its slot is moving: of several keys one was missing, as the count of a new minute
 * is, so that the node that gives the slot away or the one that gets it refuses (TRYAGAIN).
 */
export const isBetweenNodes = (thrown: unknown): boolean => reasonOf(thrown).includes('TRYAGAIN');

/** How long a slot is taken to be moving after a command met it, milliseconds. */
const movingMs = 5_000;

/** The subjects whose slots were moving within the last 5 seconds. `elapsed` is the gateway's clock, milliseconds. */
export const createMovingSubjects = ({ elapsed }: Pick<Clock, 'elapsed'>) => {
  const metAt = new Map<string, number>();
  return {
    /** A command for the subject met a moving slot. Forgets those that were met longest ago. */
    add(subject: string): void {
      metAt.delete(subject);
      metAt.set(subject, elapsed());
      for (const [other, instant] of metAt) {
        if (instant > elapsed() - movingMs) return;
        metAt.delete(other);
      }
    },
    has: (subject: string): boolean => (metAt.get(subject) ?? Number.NEGATIVE_INFINITY) > elapsed() - movingMs,
  };
};

/** Commands for one window. */
export interface OneWindow {
  consume(allowance: Allowance): Promise<QuotaStatus>;
  read(allowance: Allowance): Promise<QuotaStatus>;
  refund(allowance: Allowance, endsAt: number): Promise<void>;
}

/**
 * Consumes each allowance with a command of its own, which Redis takes while its slot moves. A refusal refunds what was counted
 * before it; meanwhile other requests see those units.
 */
export const consumeApart = async (
  allowances: readonly Allowance[],
  { consume, read, refund }: OneWindow,
): Promise<readonly QuotaStatus[]> => {
  const counted: { readonly allowance: Allowance; readonly status: QuotaStatus }[] = [];
  const refundCounted = () =>
    Promise.all(counted.splice(0).map(({ allowance, status }) => refund(allowance, status.endsAt)));
  try {
    for (const allowance of allowances) {
      const status = await consume(allowance);
      if (!status.granted) {
        await refundCounted();
        return await Promise.all(allowances.map((other) => (other === allowance ? status : read(other))));
      }
      counted.push({ allowance, status });
    }
    return counted.map(({ status }) => status);
  } catch (thrown) {
    await refundCounted();
    throw thrown;
  }
};
