/** What the bench and its load generator say to each other, as messages between processes. */

/** A GET, and what must come back. */
export interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  /** Bytes of the body, where they are the same in every answer. */
  readonly length?: number;
  /** The most bytes that the body may have, where they differ from answer to answer. */
  readonly mostLength?: number;
}

/** Many connections that each send one request after another, in rotation, for some time. */
export interface SliceOrder {
  readonly kind: 'slice';
  readonly port: number;
  readonly requests: readonly Request[];
  readonly connections: number;
  readonly ms: number;
  /** Ends after so many requests, however long that takes, instead of after the time. */
  readonly count?: number;
}

/** Gives up the connections to everybody. */
export interface CloseOrder {
  readonly kind: 'close';
}

export type Order = SliceOrder | CloseOrder;

export interface SliceResult {
  readonly answers: number;
  /** From the first request until the last answer was complete. */
  readonly ms: number;
  readonly p50: number;
  readonly p99: number;
}

/** A failure is a connection that ended or an answer that was not as it must be: then nothing counts. */
export type Reply = { readonly result: SliceResult } | { readonly failure: string };
