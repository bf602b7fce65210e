import type { Day } from '../../../src/domain/day.ts';
import type { KeyKind } from '../cases/cases.ts';
import type { KnownArtist } from '../cases/placeholders.ts';
import type { SendRequest } from '../cases/send-request.ts';
import type { ComparisonKnowledge } from '../checks/comparison.ts';
import type { ResponseCache } from './client.ts';

/** The gateway that cases are put to, and what is known of it. */
export interface ComparisonTarget {
  readonly send: SendRequest;
  readonly cache: ResponseCache;
  readonly today: Day;
  /** Artists from the top of the shortlist, for placeholders. */
  readonly knownArtists: readonly KnownArtist[];
  readonly knowledge: ComparisonKnowledge;
  /** The kinds of keys that requests can be made with. */
  readonly keyKinds: ReadonlySet<KeyKind>;
  /** The most artists that a case with `each` is repeated for. */
  readonly maxArtists: number;
  /** Whether data may change between two answers: then a case with a difference is asked a second time. */
  readonly dataMayChange: boolean;
}

/** A target, and how to close it. */
export interface OpenTarget {
  readonly target: ComparisonTarget;
  /** Its folder or address. */
  readonly name: string;
  /** The target's time, an ISO 8601 instant. */
  readonly now: string;
  /** What a reader of the report has to know. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}
