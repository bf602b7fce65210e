import { Problem } from '../../src/domain/problem.ts';
import { entryBytes } from '../../src/runtime/memo.ts';
import type { DeflatedSegment } from './gzip/deflated-segment.ts';
import { pinnedBytes } from './own-bytes.ts';

/** What one response holds until it is sent. */
export interface Hold {
  /** Raises `unavailable` when there is no room for the segment. */
  add(id: number, segment: DeflatedSegment): void;
  release(): void;
}

/** Deflated texts that responses still have to send, by number of the body. Responses that send the same text share it. */
export interface HeldSegments {
  get(id: number): DeflatedSegment | undefined;
  open(): Hold;
}

export interface HeldSegmentsOptions {
  /** Bytes that all responses may hold together. A response that is the only one may hold more. */
  readonly maxBytes: number;
  /** Called with the bytes held now, whenever they change. */
  readonly onChange: (bytes: number) => void;
}

const sizeOf = ({ blocks }: DeflatedSegment): number => entryBytes + pinnedBytes(blocks);

/** Texts that stay at hand while they are sent, whatever the caches drop meanwhile. */
export const createHeldSegments = ({ maxBytes, onChange }: HeldSegmentsOptions): HeldSegments => {
  const held = new Map<number, { readonly segment: DeflatedSegment; responses: number }>();
  let responses = 0;
  let bytes = 0;

  const change = (difference: number): void => {
    bytes += difference;
    onChange(bytes);
  };
  const addFirst = (id: number, segment: DeflatedSegment): void => {
    const size = sizeOf(segment);
    if (responses > 1 && bytes + size > maxBytes) {
      const cause = new Error(`responses that are being sent hold ${bytes} of ${maxBytes} bytes`);
      throw new Problem('unavailable', 'Too many lists with history are in work.', { retryAfter: 1, cause });
    }
    held.set(id, { segment, responses: 1 });
    change(size);
  };
  const remove = (id: number): void => {
    const entry = held.get(id);
    if (entry === undefined) return;
    entry.responses -= 1;
    if (entry.responses > 0) return;
    held.delete(id);
    change(-sizeOf(entry.segment));
  };

  return {
    get: (id) => held.get(id)?.segment,
    open() {
      const ids: number[] = [];
      responses += 1;
      return {
        add(id, segment) {
          const entry = held.get(id);
          if (entry === undefined) addFirst(id, segment);
          else entry.responses += 1;
          ids.push(id);
        },
        release() {
          responses -= 1;
          for (const id of ids.splice(0)) remove(id);
        },
      };
    },
  };
};
