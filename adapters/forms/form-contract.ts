import type { z } from 'zod';
import type { ProblemKind } from '../../src/domain/problem.ts';

/**
 * What a form tells partners about itself: whatever its contract says that its schemas and its table of problems do not.
 * Texts are Markdown, in a partner's words.
 */
export interface FormContract {
  readonly title: string;
  readonly description: string;
  /** What groups of routes there are, and what each is for. */
  readonly tags: Readonly<Record<string, string>>;
  /** Schemas that partners know by name. */
  readonly schemas: Readonly<Record<string, z.ZodType>>;
  /** The name among them of the body that tells a problem. */
  readonly error: string;
  /** What each problem means to a partner. One that is not here is never told in this form. */
  readonly problems: Readonly<Partial<Record<ProblemKind, string>>>;
  readonly headers: FormHeaders;
  /** Golden exchanges that show a refusal which any route can give, and what each shows. */
  readonly examples: ExampleNames;
}

/** Headers of this form alone, by when they are sent. Those of every form belong to the pipeline. */
export interface FormHeaders {
  /** When the request was counted, or refused because a quota is spent. */
  readonly counted: HeaderContracts;
  /** When the parameters were read. */
  readonly read: HeaderContracts;
  /** With a successful read. */
  readonly answered: HeaderContracts;
  /** Whenever the key is known. */
  readonly known: HeaderContracts;
}

export type HeaderContracts = Readonly<Record<string, HeaderContract>>;

export interface HeaderContract {
  readonly description: string;
  /** Whether it is always there when it can be. */
  readonly required: boolean;
  readonly schema: { readonly type: 'string' | 'integer'; readonly enum?: string[]; readonly pattern?: string };
  readonly example: string | number;
}

/** Names of golden exchanges, and what each of them shows. */
export type ExampleNames = Readonly<Record<string, string>>;

/** What a route tells partners about itself. */
export interface RouteContract {
  /** In words that make a good name in a generated client. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** The name of the schema of a success, and what a success means. */
  readonly success: readonly [schema: string, meaning: string];
  /** The problems it has beside those that any route has. */
  readonly raises: readonly ProblemKind[];
  readonly examples: ExampleNames;
}
