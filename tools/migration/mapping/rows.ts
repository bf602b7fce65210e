import type { Scope } from '../../../src/domain/caller.ts';
import type { Json } from '../../../src/domain/json.ts';
import type { ProblemKind } from '../../../src/domain/problem.ts';
import type { ComparedForm } from './forms.ts';

/** How a member of one form relates to the other form. */
export const rowKinds = [
  'same',
  'renamed',
  'moved',
  'derived',
  'scope-gated',
  'only current',
  'only variant',
  'volatile',
] as const;
export type RowKind = (typeof rowKinds)[number];

/**
 * Facts about a request and its answers: they decide which members must be there and which can be
 * compared.
 */
export type Condition = 'a list' | 'history' | 'every field' | 'the whole list' | 'one code';

/** True if a key has a scope; `undefined` if unknown. */
export type HasScope = (scope: Scope) => boolean | undefined;

/** Facts that a comparison uses in addition to the two answers. */
export interface ComparisonFacts {
  readonly conditions: ReadonlySet<Condition>;
  /** By the form whose key it is. */
  readonly hasScope: Readonly<Record<ComparedForm, HasScope>>;
  readonly documentIdOf: (id: string) => string | undefined;
  /** The time of every answer, an ISO 8601 instant; `undefined` unless the clock is fixed. */
  readonly now: string | undefined;
  readonly partner: string | undefined;
}

interface RowBase {
  readonly reason: string;
}

/** What a client must do, if the kind of the row does not say it. */
interface Advice {
  readonly toDo?: string;
}

/** When a member is present and when it can be compared. */
interface MemberTerms {
  /** The keys that `*` matches. The row declares no other keys. */
  readonly keys?: readonly string[];
  readonly scope?: Scope;
  /** The condition under which a form may show the member. */
  readonly presentIf?: Partial<Readonly<Record<ComparedForm, Condition>>>;
  readonly onlyPath?: string;
  /** The condition under which the two values can be compared. */
  readonly comparableIf?: Condition;
}

/**
 * A statement about one member. In paths `[]` is every item of a list and `*` every key of a map:
 * `songs[].metrics.*`.
 */
export type MemberRow = RowBase &
  Advice &
  MemberTerms &
  (
    | {
        readonly kind: 'same' | 'renamed' | 'moved';
        readonly current: string;
        readonly variant: string;
      }
    | {
        readonly kind: 'derived';
        readonly current?: string;
        readonly variant: string;
        /** Path of the current form's member that the variant form's is computed from. */
        readonly from: string;
        /** The variant form's value; `undefined` when the variant form must not show the member. */
        readonly derive: (value: Json | undefined, facts: ComparisonFacts) => Json | undefined;
      }
    | {
        readonly kind: 'scope-gated';
        readonly scope: Scope;
        readonly current: string;
        readonly variant?: string;
      }
    | { readonly kind: 'only current'; readonly current: string; readonly variant?: undefined }
    | {
        readonly kind: 'only variant';
        readonly current?: undefined;
        readonly variant: string;
        readonly expected?: (facts: ComparisonFacts) => Json | undefined;
      }
    | {
        readonly kind: 'volatile';
        readonly current?: string;
        readonly variant?: string;
        readonly pattern: RegExp;
        readonly expected?: (facts: ComparisonFacts) => Json | undefined;
      }
  );

const related =
  (kind: 'same' | 'renamed' | 'moved') =>
  (current: string, variant: string, reason: string, terms?: MemberTerms): MemberRow => ({
    kind,
    current,
    variant,
    reason,
    ...terms,
  });
export const same = (path: string, reason: string, terms?: MemberTerms): MemberRow =>
  related('same')(path, path, reason, terms);
export const renamed = related('renamed');
export const moved = related('moved');

export const onlyCurrent = (current: string, reason: string, terms?: MemberTerms): MemberRow => ({
  kind: 'only current',
  current,
  reason,
  ...terms,
});

const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** The change to make in a client that reads a member and moves to the current form. */
export const verbOf = ({ kind, toDo, current, variant }: MemberRow): string => {
  if (toDo !== undefined) return toDo;
  if (current === undefined || variant === undefined)
    return kind === 'derived' ? 'count yourself' : 'do without';
  if (kind === 'derived') return 'read differently';
  if (current === variant) return 'keep';
  return lastName(current) === lastName(variant) ? 'read from its new place' : 'rename';
};

export interface PathRow extends RowBase {
  readonly current?: string;
  readonly variant?: string;
  readonly items?: 'artist' | 'spike' | 'signing';
}

export interface Parameter {
  readonly path: string;
  readonly name: string;
  readonly range?: { readonly min: number; readonly max: number; readonly default: number };
}

export interface ParameterRow extends RowBase {
  readonly current?: Parameter;
  readonly variant?: Parameter;
}

export interface QuotaRow extends RowBase {
  readonly form: ComparedForm;
  readonly window: 'minute' | 'hour' | 'day';
  readonly requests: number;
  readonly per: 'organization' | 'key';
  readonly header: string;
}

export interface ErrorEntry {
  readonly status: number;
  readonly code: string;
}

export interface ProblemRow extends RowBase {
  readonly kind: RowKind;
  readonly problem: ProblemKind;
  readonly current?: ErrorEntry;
  readonly variant?: ErrorEntry;
}

export interface BehaviourRow {
  readonly about: string;
  readonly current: string;
  readonly variant: string;
  readonly cases: readonly string[];
}

export interface ReplyFacts {
  readonly served: ComparedForm;
  /** The form of the key; `undefined` when that is not known. */
  readonly pinned: ComparedForm | undefined;
  readonly status: number;
  /** True if the request counts against quotas. */
  readonly counted: boolean;
  readonly read: boolean;
  readonly hasHistory: boolean;
  readonly adjusted: readonly string[];
  /** True if the key has a sunset; `undefined` if unknown. */
  readonly deprecated: boolean | undefined;
  /** True if the key will expire; `undefined` if unknown. */
  readonly expires: boolean | undefined;
  readonly requestIdInBody: string | undefined;
}

/** True if a reply must have a header, false if it must not; otherwise `undefined`. */
export type HeaderPresence = (reply: ReplyFacts) => boolean | undefined;

export interface HeaderRow extends RowBase {
  readonly kind: RowKind;
  readonly name: string;
  /** By the form that is served, or with `ofKey` by the form of the key. */
  readonly presence: Readonly<Record<ComparedForm, HeaderPresence>>;
  readonly ofKey?: true;
  readonly isNotice?: true;
  readonly expected?: (reply: ReplyFacts) => string | RegExp | undefined;
}

const headerChanges: Readonly<Partial<Record<RowKind, string>>> = {
  derived: 'different value',
  'only current': 'new',
  'only variant': 'removed',
};

/** The headers that change for a client that moves to the current form. */
export const changedHeaders = (rows: readonly HeaderRow[]) =>
  rows.flatMap(({ name, kind, reason }) => {
    const change = headerChanges[kind];
    return change === undefined ? [] : [{ name, change, reason }];
  });
