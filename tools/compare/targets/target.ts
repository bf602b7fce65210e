import type { KnownArtist } from '../cases/placeholders.ts';
import type { SendRequest } from '../cases/send-request.ts';
import type { ComparisonKnowledge } from '../checks/comparison.ts';
import type { WholeShortlist } from '../checks/list-check.ts';

export interface ComparisonTarget {
  readonly name: string;
  readonly now: string;
  readonly notes: readonly string[];
  /** Sends equal requests once until `forget` is called. */
  readonly send: SendRequest;
  readonly sendAgain: SendRequest;
  /** Forgets what was read of the data: replies and the whole shortlist. */
  readonly forget: () => void;
  /** Forgets replies alone, so that a walk over all artists does not hold them. */
  readonly forgetReplies: () => void;
  readonly knownArtists: readonly KnownArtist[];
  readonly knowledge: Omit<ComparisonKnowledge, 'stored'>;
  readStored(): Promise<WholeShortlist | undefined>;
  readonly maxArtists: number;
  /**
   * True if data might change between two answers: the requests of a case with a difference are
   * then sent a second time.
   */
  readonly dataMayChange: boolean;
  close(): Promise<void>;
}
