import { Problem } from '../../src/domain/problem.ts';

/**
 * The share of the bound that several lists of one organization may hold together: four that do not
 * read are needed to fill it.
 */
const organizationShare = 1 / 4;

/**
 * Beyond the bound the only list of an organization is sent, as long as no more organizations have
 * lists than these.
 */
const maxBeyondBound = 8;

interface Holding {
  lists: number;
  bytes: number;
}

const unread = (holds: number, share: number): Problem => {
  const cause = new Error(`lists of the organization hold ${holds} of ${share} bytes`);
  const message =
    'Lists with history that your organization asked for before are not read yet: read them first.';
  return new Problem('unavailable', message, { retryAfter: 1, cause, isCallersDoing: true });
};

const full = (holds: number, maxBytes: number): Problem => {
  const cause = new Error(`lists that are being sent hold ${holds} of ${maxBytes} bytes`);
  const message = 'Too many lists with history are being sent: retry in 1 second.';
  return new Problem('unavailable', message, { retryAfter: 1, cause });
};

/**
 * Counts the deflated histories that stay in memory while their lists are sent, whatever the cache
 * drops: `maxBytes` of all lists, a quarter of it of one organization's. Its only list is sent
 * beyond both. `onChange` is called with the bytes of all.
 */
export const createHeldLists = (maxBytes: number, onChange: (bytes: number) => void) => {
  const share = Math.ceil(maxBytes * organizationShare);
  const organizations = new Map<string, Holding>();
  let held = 0;
  return {
    /**
     * Begins a list of an organization. Raises `unavailable` when its lists hold their share
     * already.
     */
    open(organizationId: string) {
      const own = organizations.get(organizationId) ?? { lists: 0, bytes: 0 };
      if (own.lists > 0 && own.bytes >= share) throw unread(own.bytes, share);
      organizations.set(organizationId, own);
      own.lists += 1;
      let ofList = 0;
      const change = (bytes: number): void => {
        ofList += bytes;
        own.bytes += bytes;
        held += bytes;
        onChange(held);
      };
      return {
        /** Counts a history until `release`. Raises `unavailable` when there is no room for it. */
        add(bytes: number): void {
          const isOnly = own.lists === 1;
          if (!isOnly && own.bytes + bytes > share) throw unread(own.bytes, share);
          const isBeyond = held + bytes > maxBytes;
          if (isBeyond && !(isOnly && organizations.size <= maxBeyondBound))
            throw full(held, maxBytes);
          change(bytes);
        },
        release(): void {
          change(-ofList);
          own.lists -= 1;
          if (own.lists === 0) organizations.delete(organizationId);
        },
      };
    },
  };
};
