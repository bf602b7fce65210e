/** A GET and the expected response. */
export interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  /** Bytes of the body, where they are the same in every answer. */
  readonly length?: number;
  /** The most bytes that the body may have, where responses differ in length. */
  readonly maxLength?: number;
}

/** Connections that each send one request after another, in rotation, for `ms` milliseconds. */
export interface SliceOrder {
  readonly port: number;
  readonly requests: readonly Request[];
  readonly connections: number;
  readonly ms: number;
  /** Ends after this number of requests instead of after `ms`. */
  readonly count?: number;
  /**
   * Requests a second, sent when they are due and not when a connection is free; a request's time counts from when it was due.
   * As fast as possible without it.
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

/** What the bench tells its load generator: slices that run at the same time, or to close all connections. */
export type Order = readonly SliceOrder[] | 'close';

/** A connection that ended or an unexpected response fails all slices of the order. */
export type Reply = readonly SliceResult[] | string;
