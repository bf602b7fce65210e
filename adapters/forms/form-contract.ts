import type { z } from 'zod';
import type { QuotaWindow } from '../../src/domain/caller.ts';
import type { ProblemKind } from '../../src/domain/problem.ts';

/**
 * The part of a form's contract beyond its schemas and its table of problems. Texts are Markdown
 * for partners: direct, in the second person, example first.
 */
export interface FormContract {
  readonly title: string;
  readonly description: string;
  /** The groups of routes and their descriptions. */
  readonly tags: Readonly<Record<string, string>>;
  /** The schemas in `components`, by name. */
  readonly schemas: Readonly<Record<string, z.ZodType>>;
  /** The name of the error schema among them, and of those in it. */
  readonly errors: readonly [body: string, ...parts: string[]];
  readonly headers: FormHeaders;
  /**
   * Requests in each window, for a key or an organization without limits of its own. The form's
   * pages state them too.
   */
  readonly limits: Readonly<Partial<Record<QuotaWindow, number>>>;
  /** Recorded exchanges of errors that every route can return. */
  readonly examples: ExampleNames;
}

/** Headers that only this form sends, by when they are sent. */
interface FormHeaders {
  /** On counted requests, and on 429. */
  readonly counted: HeaderContracts;
  /** When the parameters were parsed. */
  readonly read: HeaderContracts;
  /** On successful responses. */
  readonly answered: HeaderContracts;
  /** Whenever the key is known. */
  readonly known: HeaderContracts;
}

/**
 * How usage names a parameter more closely than by its name: by a value of a closed list
 * (`fields=basic`), by a boolean in any case (`signed=true`), or by a number above this maximum and
 * those of the other forms (`limit>100`). A number without a maximum is named in whole calls only.
 */
export type ParameterUsage = readonly string[] | 'boolean' | 'number' | number;

declare module 'zod' {
  interface GlobalMeta {
    usage?: ParameterUsage;
  }
}

/** Headers by name. */
export type HeaderContracts = Readonly<Record<string, HeaderContract>>;

/** How the contract describes a response header. */
export interface HeaderContract {
  readonly description: string;
  /** True if the header is on every response that lists it. */
  readonly required: boolean;
  readonly schema: {
    readonly type: 'string' | 'integer';
    readonly enum?: string[];
  };
  readonly example: string | number;
}

/**
 * Of a quota whose window is another one in each form: `X-Envelope` does not change it (decisions,
 * "Which form").
 */
export const ownWindow =
  'Keys of another form that request this one keep the window of their own form.';

/** A header that holds a whole number. */
export const numberHeader = (
  description: string,
  example: number,
  required: boolean,
): HeaderContract => ({
  description,
  required,
  schema: { type: 'integer' },
  example,
});

/** A header that holds a text; `values` are the only ones it has. */
export const textHeader = (
  description: string,
  example: string,
  required: boolean,
  values?: string[],
): HeaderContract => ({
  description,
  required,
  schema: { type: 'string', ...(values && { enum: values }) },
  example,
});

/** The tag of a route without a key, in every form. */
export const catalogueTag = textHeader(
  'Identifies all data and the UTC day: a copy is up to date as long as it stays the same. Absent until the service has loaded its data.',
  'W/"oYII1oLBFkYG381nQ2zN12QSPGG"',
  false,
);

/** Recorded exchanges by name, with the summary of what each shows. */
export type ExampleNames = Readonly<Record<string, string>>;

export interface RouteContract {
  /** The method's name in generated clients. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** The schema's name and the description of a 200. */
  readonly success: readonly [schema: string, meaning: string];
  /** The problems of this route beyond those of every route; routes that do not list them have none. */
  readonly raises: readonly ProblemKind[];
  readonly examples: ExampleNames;
  /** Headers of its 200 that are not as in every route. */
  readonly headers?: HeaderContracts;
}
