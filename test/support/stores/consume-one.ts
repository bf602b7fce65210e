import type { Allowance } from '../../../src/domain/caller.ts';
import type { QuotaStatus, QuotaStore } from '../../../src/ports.ts';

/** Consumes one unit of a single allowance. */
export const consumeOne = async (
  quotas: QuotaStore,
  allowance: Allowance,
  deadline: number,
): Promise<QuotaStatus> => {
  const [status, ...others] = await quotas.consume([allowance], deadline);
  if (status === undefined || others.length > 0) throw new Error('One allowance has one status.');
  return status;
};
