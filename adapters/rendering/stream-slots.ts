import { Problem } from '../../src/domain/problem.ts';

/** Lists with history sent concurrently. Each holds up to a hundred deflated histories. */
const maxStreams = 16;

/** Concurrent lists with history per organization. */
const maxOfOrganization = 2;

const full = (): Problem => {
  const message = 'Too many lists with history are being sent: retry in 1 second.';
  const cause = new Error(`${maxStreams} lists with history are being sent`);
  return new Problem('unavailable', message, { retryAfter: 1, cause });
};

const unread = (): Problem => {
  const message =
    'Lists with history that your organization asked for before are not read yet: read them first.';
  const cause = new Error(`${maxOfOrganization} lists of the organization are being sent`);
  return new Problem('unavailable', message, { retryAfter: 1, cause, causedByCaller: true });
};

/**
 * Limits the lists with history that are loaded and sent, so that memory is bounded even if clients
 * do not read. Returns a function that takes a slot for an organization and returns its release. It
 * raises `unavailable` at two lists per organization, or 16 in total.
 */
export const createStreamSlots = () => {
  const open = new Map<string, number>();
  let total = 0;
  const change = (organizationId: string, by: 1 | -1): void => {
    const lists = (open.get(organizationId) ?? 0) + by;
    total += by;
    if (lists === 0) open.delete(organizationId);
    else open.set(organizationId, lists);
  };
  return (organizationId: string): (() => void) => {
    if ((open.get(organizationId) ?? 0) >= maxOfOrganization) throw unread();
    if (total >= maxStreams) throw full();
    change(organizationId, 1);
    return () => change(organizationId, -1);
  };
};
