import { z } from 'zod';
import { type Envelope, isDeferredMember } from '../../adapters/forms/envelope.ts';
import type { Form, Route, RouteResult } from '../../adapters/forms/form.ts';
import * as wire from '../../adapters/forms/variant/wire.ts';

/** The places of the fields in a schema. */
const placesIn = (schema: unknown, place: string): readonly string[] => {
  if (schema instanceof z.ZodOptional) return placesIn(schema.unwrap(), place);
  if (schema instanceof z.ZodArray) return placesIn(schema.element, place);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, member]) => [
    `${place}${name}`,
    ...placesIn(member, `${place}${name}.`),
  ]);
};

const inList = (list: string, places: readonly string[]): readonly string[] =>
  places.map((place) => place.replace(/^data\./, `${list}.`));

/** The fields of all responses. Fields of items begin with the name of the list. */
export const fields: readonly string[] = [
  ...new Set([
    ...inList('artists', placesIn(wire.artistListWire, '')),
    ...inList('spikes', placesIn(wire.spikeListWire, '')),
    ...inList('signings', placesIn(wire.signingListWire, '')),
    ...placesIn(wire.healthWire, ''),
    ...placesIn(wire.errorWire, ''),
  ]),
];

/** The fields called `artists.photo` or `photo`. */
export const fieldsNamed = (name: string): readonly string[] =>
  fields.includes(name) ? [name] : fields.filter((one) => one.endsWith(`.${name}`));

/** The form without these fields. */
export const withoutFields = (form: Form, leftOut: ReadonlySet<string>): Form => {
  if (leftOut.size === 0) return form;
  const thin = (value: unknown, place: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => thin(item, place));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) =>
        leftOut.has(place + name) ? [] : [[name, thin(member, `${place}${name}.`)]],
      ),
    );
  };
  // Rendering caches by presenter, so each presenter has one replacement.
  const presenters = new Map<unknown, (...parts: readonly never[]) => unknown>();
  const thinEnvelope = (envelope: Envelope, list: string): Envelope =>
    Object.fromEntries(
      Object.entries(envelope).flatMap(([name, member]): [string, unknown][] => {
        if (leftOut.has(name)) return [];
        if (!isDeferredMember(member)) return [[name, thin(member, `${name}.`)]];
        const { present } = member;
        const known =
          presenters.get(present) ??
          ((...parts: readonly never[]) =>
            thin((present as (...all: readonly never[]) => unknown)(...parts), `${list}.`));
        presenters.set(present, known);
        return [[name, { ...member, present: known }]];
      }),
    );
  const thinRoute = (route: Route): Route => {
    const list = route.path.split('/').at(-1) ?? '';
    if (route.access === 'public')
      return { ...route, present: (meta) => thinEnvelope(route.present(meta), list) };
    const thinResult = (result: RouteResult): RouteResult => ({
      ...result,
      present: (meta) => thinEnvelope(result.present(meta), list),
    });
    return {
      ...route,
      parse(query, path) {
        const parsed = route.parse(query, path);
        return {
          ...parsed,
          runOn(catalogue, viewer) {
            const result = parsed.runOn(catalogue, viewer);
            return result instanceof Promise ? result.then(thinResult) : thinResult(result);
          },
        };
      },
    };
  };
  return {
    ...form,
    routes: form.routes.map(thinRoute),
    presentProblem: (code, message, requestId) =>
      Object(thin(form.presentProblem(code, message, requestId), '')),
  };
};
