/** Buffers of one size that are lent and taken back: filling one again is much cheaper than having a new one made. */
export interface BufferPool {
  /** Bytes of each. */
  readonly size: number;
  take(): Buffer;
  /** Takes one back that nobody reads any more. */
  giveBack(buffer: Buffer): void;
}

/** A pool that keeps at most so many while nobody uses them. */
export const createBufferPool = (size: number, most: number): BufferPool => {
  const free: Buffer[] = [];
  return {
    size,
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(size),
    giveBack(buffer) {
      if (free.length < most) free.push(buffer);
    },
  };
};
