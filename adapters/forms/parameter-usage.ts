import { z } from 'zod';
import type { ParameterRepair } from '../../src/domain/usage.ts';
import type { Form, Query, Route } from './form.ts';

/** How a request of a route used parameters, in the words of `UsageCount`, each once: never a client's own text. */
export type ParameterUses = (route: Route, query: Query, adjusted: readonly ParameterRepair[]) => readonly string[];

/** What is said of one parameter: that it was given, or given in a particular way, or that its value was repaired. */
interface Words {
  readonly given: (value: string) => string;
  readonly adjusted: string;
}

/** What a declaration means without default, option and how a text becomes a value. */
const meaningOf = (schema: z.core.$ZodType): z.core.$ZodType => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return meaningOf(schema.unwrap());
  return schema instanceof z.ZodPipe ? meaningOf(schema.out) : schema;
};

const largestOf = (schema: z.core.$ZodType): number | undefined => {
  const meaning = meaningOf(schema);
  const largest = meaning instanceof z.ZodNumber ? meaning.maxValue : null;
  return largest === null || largest >= Number.MAX_SAFE_INTEGER ? undefined : largest;
};

/** One of a closed list of values is told by itself; any other text only as given. */
const closedWords = (name: string, values: readonly unknown[]): ((value: string) => string) => {
  const words = new Map(values.map((value) => [String(value), `${name}=${value}`]));
  return (value) => words.get(value) ?? name;
};

const givenWords = (name: string, schema: z.core.$ZodType, ceiling: number | undefined): Words['given'] => {
  const meaning = meaningOf(schema);
  if (meaning instanceof z.ZodEnum) return closedWords(name, meaning.options);
  if (meaning instanceof z.ZodBoolean) {
    const wordOf = closedWords(name, [true, false]);
    return (value) => wordOf(value.toLowerCase());
  }
  if (ceiling === undefined) return () => name;
  const above = `${name}>${ceiling}`;
  return (value) => (/^[0-9]+$/.test(value) && Number(value) > ceiling ? above : name);
};

const declaredBy = ({ contract }: Route): [string, z.core.$ZodType][] => Object.entries(contract.query?.shape ?? {});

/** The most that every form with this route takes of a number: whoever asks for more cannot ask the same of each of them. */
const ceilingsOf = (routes: readonly Route[]): Map<string, number> => {
  const ceilings = new Map<string, number>();
  for (const route of routes) {
    for (const [name, schema] of declaredBy(route)) {
      const place = `${route.path} ${name}`;
      const largest = largestOf(schema);
      if (largest !== undefined) ceilings.set(place, Math.min(largest, ceilings.get(place) ?? largest));
    }
  }
  return ceilings;
};

/**
 * Takes the words from what the forms declare of their parameters, so that there are only so many. A parameter that was given
 * is told in exactly one of them, by its first value.
 */
export const createParameterUses = (forms: readonly Pick<Form, 'routes'>[]): ParameterUses => {
  const routes = forms.flatMap((form) => form.routes);
  const ceilings = ceilingsOf(routes);
  const wordsOf = (route: Route): Map<string, Words> =>
    new Map(
      declaredBy(route).map(([name, schema]) => {
        const given = givenWords(name, schema, ceilings.get(`${route.path} ${name}`));
        return [name, { given, adjusted: `${name} adjusted` }];
      }),
    );
  const vocabulary = new Map(routes.map((route) => [route, wordsOf(route)]));

  return (route, query, adjusted) => {
    const words = vocabulary.get(route);
    const uses = new Set<string>();
    for (const name of query.names) uses.add(words?.get(name)?.given(query.values(name)[0] ?? '') ?? 'unknown');
    for (const { parameter } of adjusted) {
      const word = words?.get(parameter);
      if (word !== undefined) uses.add(word.adjusted);
    }
    return [...uses];
  };
};
