import type { FormName } from '../domain/caller.ts';
import type { ProblemKind } from '../domain/problem.ts';
import type { Kind } from './rows.ts';

/** A path of the interface, below `/api/v1`. */
export interface PathRow {
  readonly kind: Kind;
  readonly current?: string;
  readonly variant?: string;
  /** What its answers are about: the table of members that speaks of it. */
  readonly items?: 'artist' | 'spike' | 'signing';
  readonly reason: string;
}

/** A query parameter of one form. */
export interface Parameter {
  readonly path: string;
  readonly name: string;
  /** For a whole number: its range, and what it is when it is not given. */
  readonly range?: { readonly least: number; readonly most: number; readonly standard: number };
}

export interface ParameterRow {
  readonly kind: Kind;
  readonly current?: Parameter;
  readonly variant?: Parameter;
  readonly reason: string;
}

/** A quota, and the prefix of the headers that tell how it stands. */
export interface QuotaRow {
  readonly kind: Kind;
  readonly form: FormName;
  readonly window: 'minute' | 'hour' | 'day';
  readonly requests: number;
  readonly per: 'organization' | 'key';
  readonly header: string;
  readonly reason: string;
}

/** How a form says a problem. */
export interface ErrorMapping {
  readonly status: number;
  readonly code: string;
}

/** A problem; a form that says nothing never raises it. */
export interface ProblemRow {
  readonly kind: Kind;
  readonly problem: ProblemKind;
  readonly current?: ErrorMapping;
  readonly variant?: ErrorMapping;
  readonly reason: string;
}

/** What both forms can be asked and yet do otherwise; the cases that check it are named. */
export interface BehaviourRow {
  readonly kind: Kind;
  readonly about: string;
  readonly current: string;
  readonly variant: string;
  readonly cases: readonly string[];
  /** How the use that a partner makes of the variant form shows that it relies on it: a use, or a status on a path. */
  readonly seenBy?: { readonly use: RegExp } | { readonly path: string; readonly status: number };
}

/** What is known of a reply when its headers are judged. */
export interface ReplyFacts {
  /** The form that is served, and the form of the key: `undefined` when nobody knows it. */
  readonly served: FormName;
  readonly pinned: FormName | undefined;
  readonly status: number;
  /** Whether the request is one that quotas count. */
  readonly counted: boolean;
  /** Whether it is an answer to a question that needs a key. */
  readonly read: boolean;
  readonly adjusted: readonly string[];
  /** Whether the key has a sunset; `undefined` when nobody knows. */
  readonly deprecated: boolean | undefined;
  readonly requestIdInBody: string | undefined;
}

/** Whether a reply must carry a header (`true`), must not (`false`), or may. */
export type HeaderPresence = (reply: ReplyFacts) => boolean | undefined;

export interface HeaderRow {
  readonly kind: Kind;
  readonly name: string;
  /** By the form that is served, or with `ofKey` by the form of the key. */
  readonly on: Readonly<Record<FormName, HeaderPresence>>;
  readonly ofKey?: true;
  /** What it must read, when it can be told. */
  readonly reads?: (reply: ReplyFacts) => string | RegExp | undefined;
  readonly reason: string;
}
