/** How the gateway handles a stored document that it cannot use unchanged; also the log event. */
export type FaultEvent =
  | 'document left out'
  | 'document unreadable, serving its last good version'
  | 'member left out'
  | 'content changed without a newer updated_at'
  | 'text not UTF-8, read as U+FFFD'
  | 'file not read'
  | 'collection empty, serving the last copy'
  | 'collection empty, not ready';

/**
 * A fault of a stored document or of a collection, reported until it is repaired (decisions,
 * "Freshness and caching").
 */
export interface DocumentFault {
  readonly event: FaultEvent;
  readonly collection: string;
  /** The document's id, or its file and position in the file; `all` for a collection. */
  readonly document: string;
  /** Names the member. Never repeats a stored text. */
  readonly reason: string;
}
