import type { Day } from '../../../src/domain/day.ts';
import type { ComparisonCase } from '../cases/cases.ts';
import type { KnownArtist } from '../cases/placeholders.ts';
import type { SendRequest } from '../cases/send-request.ts';
import type { ComparisonKnowledge } from '../checks/comparison.ts';
import type { WholeShortlist } from '../checks/list-check.ts';
import type { ResponseCache } from './client.ts';

/** The gateway that requests are sent to, and the facts about it. */
export interface ComparisonTarget {
  readonly send: SendRequest;
  readonly cache: ResponseCache;
  readonly today: Day;
  /** Artists from the top of the shortlist, for placeholders. */
  readonly knownArtists: readonly KnownArtist[];
  readonly knowledge: Omit<ComparisonKnowledge, 'stored'>;
  /** The whole shortlist; `undefined` where it cannot be read. */
  readStored(): Promise<WholeShortlist | undefined>;
  /** Why a case cannot be asked with the given keys; `undefined` when it can. */
  keyError(comparisonCase: ComparisonCase): string | undefined;
  /** Maximum number of artists that a case with `each` is repeated for. */
  readonly maxArtists: number;
  /** Whether data may change between two answers: then the requests of a case with a difference are sent a second time. */
  readonly dataMayChange: boolean;
}

/** A target, and how to close it. */
export interface OpenTarget {
  readonly target: ComparisonTarget;
  /** Its folder or address. */
  readonly name: string;
  /** The target's time, an ISO 8601 instant. */
  readonly now: string;
  /** Remarks for the reader of the report. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}
