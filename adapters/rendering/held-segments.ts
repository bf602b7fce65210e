import { Problem } from '../../src/domain/problem.ts';
import { entryBytes } from '../../src/runtime/memo.ts';
import { type DeflatedSegment, pinnedBytes } from './gzip/deflated-segment.ts';

interface HeldSegment {
  readonly segment: DeflatedSegment;
  readonly size: number; // in bytes
  responses: number;
}

/**
 * Deflated texts that stay in memory while they are sent, also when the caches drop them, by number of the body. Responses that
 * send the same text share it. All responses may hold `maxBytes` together; a
 * response that is the only one may hold more. `onChange` is called with the bytes held now, whenever they change.
 */
export const createHeldSegments = (maxBytes: number, onChange: (bytes: number) => void) => {
  const held = new Map<number, HeldSegment>();
  let responses = 0;
  let bytes = 0;

  const addFirst = (id: number, segment: DeflatedSegment): HeldSegment => {
    const entry = { segment, size: entryBytes + pinnedBytes(segment.blocks), responses: 0 };
    if (responses > 1 && bytes + entry.size > maxBytes) {
      const cause = new Error(`responses that are being sent hold ${bytes} of ${maxBytes} bytes`);
      const message = 'Too many lists with history are being sent: retry in 1 second.';
      throw new Problem('unavailable', message, { retryAfter: 1, cause });
    }
    held.set(id, entry);
    bytes += entry.size;
    onChange(bytes);
    return entry;
  };

  return {
    get: (id: number): DeflatedSegment | undefined => held.get(id)?.segment,
    /** Begins a response, and returns what it holds until it is sent. */
    open() {
      const own = new Map<number, HeldSegment>();
      responses += 1;
      return {
        /** Raises `unavailable` when there is no room for the segment. */
        add(id: number, segment: DeflatedSegment): void {
          if (own.has(id)) return;
          const entry = held.get(id) ?? addFirst(id, segment);
          entry.responses += 1;
          own.set(id, entry);
        },
        release(): void {
          responses -= 1;
          for (const [id, entry] of own) {
            entry.responses -= 1;
            if (entry.responses > 0) continue;
            held.delete(id);
            bytes -= entry.size;
          }
          own.clear();
          onChange(bytes);
        },
      };
    },
  };
};
