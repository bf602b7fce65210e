/** How the gateway handles a stored document that it cannot use unchanged; also the log event. */
export type FaultEvent =
  | 'invalid document ignored'
  | 'invalid document, serving previous version'
  | 'invalid field ignored'
  | 'content changed without a newer updated_at'
  | 'invalid UTF-8 replaced'
  | 'file ignored'
  | 'collection empty, serving previous copy'
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
