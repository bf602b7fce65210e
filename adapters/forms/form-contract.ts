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
  /** The names of the error schema and of the schemas that it uses. */
  readonly errors: readonly [body: string, ...parts: string[]];
  readonly headers: FormHeaders;
  /**
   * Requests in each window, for a key or an organization without its own limits. The form's pages
   * state them too.
   */
  readonly limits: Readonly<Partial<Record<QuotaWindow, number>>>;
  /** Recorded exchanges of errors that every route can return. */
  readonly examples: ExampleNames;
}

/** Headers of this form only, by when they are sent. */
interface FormHeaders {
  /** On counted requests, and on 429. */
  readonly counted: HeaderContracts;
  /** On requests whose parameters were parsed. */
  readonly read: HeaderContracts;
  /** On successful responses. */
  readonly succeeded: HeaderContracts;
  /** On every response to a known key. */
  readonly known: HeaderContracts;
}

/**
 * How usage counts name a parameter's value: a value of a closed list (`fields=basic`), a boolean
 * in any case (`signed=true`), or a number above the maxima of all forms (`limit>100`). Whole calls
 * also name numbers without a maximum.
 */
export type ParameterUsage = readonly string[] | 'boolean' | 'number' | number;

declare module 'zod' {
  interface GlobalMeta {
    usage?: ParameterUsage;
  }
}

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
 * Each form has its own quota window, which `X-Envelope` does not change (decisions, "Which form").
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

/** A header that holds a text; `values` lists all possible values. */
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
  /** Problems of this route only. Routes that do not list them never raise them. */
  readonly raises: readonly ProblemKind[];
  readonly examples: ExampleNames;
  /** Headers of the 200 that differ from other routes. */
  readonly headers?: HeaderContracts;
}
