/** A GET and the expected response. */
export interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  /** Bytes of the body, if they are the same in every response. */
  readonly length?: number;
}

/** Connections that send one request after another, in rotation, until `ms` or `count`. */
export interface SliceOrder {
  readonly port: number;
  readonly requests: readonly Request[];
  readonly connections: number;
  /** Milliseconds until the last request is sent. */
  readonly ms?: number;
  /** Requests until the end. */
  readonly count?: number;
  /**
   * Requests a second, sent when they are due; the time of a request begins then. Without it, as
   * fast as possible.
   */
  readonly rate?: number;
}

export interface SliceResult {
  readonly answers: number;
  /** From the first request until the last answer was complete. */
  readonly ms: number;
  readonly p50: number;
  readonly p99: number;
}

/** Slices that run at the same time, or `'close'` to close all connections. */
export type Order = readonly SliceOrder[] | 'close';

/** A connection that ended or an unexpected response fails all slices of the order. */
export type Reply = readonly SliceResult[] | string;
