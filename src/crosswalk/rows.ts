import type { FormName, Scope } from '../domain/caller.ts';
import type { Json } from './json.ts';

/** How a member of one form stands to the other form. */
export const kinds = [
  'same',
  'renamed',
  'moved',
  'derived',
  'scope-gated',
  'only current',
  'only variant',
  'volatile',
] as const;
export type Kind = (typeof kinds)[number];

/** What an answer was asked for and how, as far as it decides which members are there and which can be compared. */
export type Condition = 'a list' | 'history' | 'every field' | 'the whole list' | 'one code' | 'a clock that stands';

/** Whether a key has a scope; `undefined` when nobody knows. */
export type Sees = (scope: Scope) => boolean | undefined;

/** What a comparison knows beside the two answers. */
export interface Facts {
  readonly circumstances: ReadonlySet<Condition>;
  /** Whether the key of each form has a scope. */
  readonly sees: Readonly<Record<FormName, Sees>>;
  /** The document identifier that belongs to a stable one, when it is known. */
  readonly documentIdOf: (id: string) => string | undefined;
  /** What the variant form calls the caller, when it is known. */
  readonly partner: string | undefined;
}

interface Stated {
  /** In words: why the row is as it is. */
  readonly reason: string;
  /** The keys a `*` of the path stands for. Any other key is in no row. */
  readonly keys?: readonly string[];
  /** The scope without which the member is not there. */
  readonly scope?: Scope;
  /** What has to be asked for the member to be there; without it, it must not be. */
  readonly when?: Partial<Readonly<Record<FormName, Condition>>>;
  /** The only path (below `/api/v1`) whose answers have it, where the table is of several. */
  readonly only?: string;
  /** What has to hold for the two values to be comparable. */
  readonly equalWhen?: Condition;
}

/**
 * A statement about one member. Paths are told from the item: `[]` is every item of a list, `*` every key of a map, as in
 * `songs[].metrics.*`.
 */
export type MemberRow = Stated &
  (
    | { readonly kind: 'same' | 'renamed' | 'moved'; readonly current: string; readonly variant: string }
    | {
        readonly kind: 'derived';
        readonly current?: string;
        readonly variant: string;
        /** Path of the current form's member that the variant form's is made of. */
        readonly from: string;
        /** What the variant form must say; `undefined` that it must say nothing. */
        readonly derive: (value: Json | undefined, facts: Facts) => Json | undefined;
      }
    | { readonly kind: 'scope-gated'; readonly scope: Scope; readonly current: string; readonly variant?: string }
    | { readonly kind: 'only current'; readonly current: string; readonly variant?: undefined }
    | {
        readonly kind: 'only variant';
        readonly current?: undefined;
        readonly variant: string;
        /** What it must say, when that is known. */
        readonly reads?: (facts: Facts) => Json | undefined;
      }
    | {
        readonly kind: 'volatile';
        readonly current?: string;
        readonly variant?: string;
        /** What a value of it must look like. */
        readonly looks: RegExp;
      }
  );
