import type * as current from '../../../adapters/forms/current/wire.ts';
import { isDeferredMember } from '../../../adapters/forms/envelope.ts';
import type { Form, KeyRoute, ParsedQuery, QueryString } from '../../../adapters/forms/form.ts';
import type { VariantArtistsQuery } from '../../../adapters/forms/variant/params.ts';
import type * as variant from '../../../adapters/forms/variant/wire.ts';
import type { ArtistsResult, Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { ArtistsQuery, SpikesQuery } from '../../../src/catalogue/queries.ts';
import type { Filters } from '../../../src/domain/filters.ts';
import type { Artist } from '../../../src/domain/model.ts';
import type { Signing, Spike } from '../../../src/domain/signals.ts';
import type { QuotaStore } from '../../../src/ports.ts';
import type { ComparedForm } from '../../../tools/migration/mapping/forms.ts';

type ChangeForm = (form: Form) => Form;
type ChangeCatalogue = (catalogue: Catalogue) => Catalogue;

/** A text that is once in a file of `src/catalogue`, and what takes its place. */
export interface SourceChange {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * A gateway with one fault: a form that is declared differently, or a catalogue that answers
 * differently.
 */
export interface Fault {
  readonly group:
    | 'presenter'
    | 'parameters'
    | 'order'
    | 'disclosure'
    | 'protocol'
    | 'quota'
    | 'catalogue';
  readonly name: string;
  readonly forms?: ChangeForm;
  readonly catalogue?: ChangeCatalogue;
  readonly quotas?: (store: QuotaStore) => QuotaStore;
  /** Changes the headers of a reply. */
  readonly headers?: (headers: Readonly<Record<string, string>>, status: number) => object;
  /** A text that is once in a file of `src/catalogue`, and what takes its place. */
  readonly source?: SourceChange;
  /** Whether it takes more artists than any limit to show the fault. */
  readonly large?: true;
  /** The row that a presenter or a quota violates; `none` for a member without a row. */
  readonly row?: string;
}

/** The faults of a group, by name: a change of the forms, or more. */
export const faultsOf = (
  group: Fault['group'],
  faults: Readonly<Record<string, ChangeForm | Omit<Fault, 'group' | 'name'>>>,
): readonly Fault[] =>
  Object.entries(faults).map(([name, fault]) => ({
    ...{ group, name },
    ...(typeof fault === 'function' ? { forms: fault } : fault),
  }));

/** The faults of presenters, by name, each with the row that it violates. */
export const presenterFaultsOf = (
  faults: Readonly<Record<string, readonly [row: string, ChangeForm]>>,
) =>
  Object.entries(faults).map(
    ([name, [row, forms]]) => ({ group: 'presenter', name, row, forms }) as const,
  );

type Fields = Readonly<Record<string, unknown>>;
type Show<Wire, Model> = (wire: Wire, model: Model) => object;

/** Changes to one route. What is not changed is as the form declares it. */
interface RouteChange<Wire, Model, Question> {
  readonly access?: KeyRoute['access'];
  /** Changes a query before the form reads it. */
  readonly query?: (query: QueryString) => QueryString;
  readonly question?: (question: Question, query: QueryString) => Question;
  /** Reports no repairs of parameters. */
  readonly hidesRepairs?: true;
  readonly catalogue?: ChangeCatalogue;
  readonly around?: (envelope: Fields) => Fields;
  /** Changes the items of a list as it is without options. */
  readonly show?: Show<Wire, Model>;
  /** Changes items with history, and those of `fields=basic`. */
  readonly showHistory?: Show<Wire, Model>;
  readonly showBasic?: Show<Wire, Model>;
}

/** Changes one form. */
export const ofForm =
  (name: ComparedForm, change: (form: Form) => Partial<Form>) =>
  (form: Form): Form =>
    form.name === name ? { ...form, ...change(form) } : form;

const questionOf = ({ cacheKey: text }: ParsedQuery) =>
  text === undefined ? undefined : JSON.parse(text);

/** A catalogue that is asked another question than the one that it is given. */
const asked = (question: object): ChangeCatalogue => {
  // A route hands its question on to one of these methods, which takes what the form's type names.
  const changed = question as never;
  return (catalogue) => ({
    ...catalogue,
    artists: (_question, viewer) => catalogue.artists(changed, viewer),
    added: (_question, viewer) => catalogue.added(changed, viewer),
    spikes: (_question, viewer) => catalogue.spikes(changed, viewer),
  });
};

const changeRoute = <Wire, Model, Question extends object>(
  route: KeyRoute,
  {
    access,
    query: read,
    question: change,
    hidesRepairs,
    ...given
  }: RouteChange<Wire, Model, Question>,
): KeyRoute => {
  const { catalogue: ask = (catalogue) => catalogue, around = (envelope) => envelope } = given;

  const changeItems = (
    envelope: Fields,
    question: { readonly fields?: string } | undefined,
  ): Fields => {
    const { data } = envelope;
    if (!isDeferredMember(data)) return envelope;
    const usual = question?.fields === 'basic' ? given.showBasic : given.show;
    const show = data.kind === 'list' ? usual : given.showHistory;
    if (show === undefined) return envelope;
    // The route presents models of the one type as values of the other: `changing` names both.
    const present = (item: object, more: unknown) =>
      show(data.present(item, more) as Wire, item as Model);
    return { ...envelope, data: { ...data, present } };
  };

  return {
    ...route,
    access: access ?? route.access,
    parse(query, path) {
      const parsed = route.parse(read?.(query) ?? query, path);
      const question = questionOf(parsed);
      const changed = change?.(question, query);
      return {
        adjusted: hidesRepairs ? [] : parsed.adjusted,
        cacheKey: JSON.stringify(changed ?? question),
        async answerFrom(catalogue, viewer) {
          const changing = changed === undefined ? catalogue : asked(changed)(catalogue);
          const { identity, present } = await parsed.answerFrom(ask(changing), viewer);
          return { identity, present: (meta) => around(changeItems(present(meta), question)) };
        },
      };
    },
  };
};

const changing =
  <Wire, Model, Question extends object>(name: ComparedForm, path: string) =>
  (change: RouteChange<Wire, Model, Question>): ChangeForm =>
  (form) => {
    if (form.name !== name) return form;
    const routes = form.routes.map((route) =>
      route.path === `/api/v1${path}` && route.access !== 'public'
        ? changeRoute(route, change)
        : route,
    );
    return { ...form, routes };
  };

export const currentArtists = changing<current.ArtistWire, Artist, ArtistsQuery>(
  'current',
  '/artists',
);
export const currentSignings = changing<current.SigningWire, Signing, object>(
  'current',
  '/signings',
);
export const variantArtists = changing<variant.ArtistWire, Artist, VariantArtistsQuery>(
  'variant',
  '/artists',
);
export const variantSpikes = changing<variant.SpikeWire, Spike, SpikesQuery>('variant', '/spikes');
export const variantSignings = changing<variant.SigningWire, Signing, object>(
  'variant',
  '/signings',
);

/** A catalogue that lists other artists. */
export const listing = (
  change: (artists: readonly Artist[], filters: Filters) => readonly Artist[],
): ChangeCatalogue => {
  const changed = (answer: ArtistsResult, filters: Filters) => ({
    ...answer,
    artists: change(answer.artists, filters),
  });
  return (catalogue) => ({
    ...catalogue,
    artists: (question, viewer) => changed(catalogue.artists(question, viewer), question.filters),
    added: (question, viewer) => changed(catalogue.added(question, viewer), {}),
  });
};

/** A change that leaves a member out. */
export const gone = (): undefined => undefined;

/** A change that turns a list round. */
export const backwards = (list: readonly unknown[]): readonly unknown[] => list.toReversed();

const changeIn = (
  value: unknown,
  [name, ...rest]: readonly string[],
  change: (value: unknown) => unknown,
): unknown => {
  if (value === undefined) return value;
  if (name === undefined) return change(value);
  if (name === '[]')
    return Array.isArray(value) ? value.map((item) => changeIn(item, rest, change)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([one, member]) => [
    one,
    name === '*' || name === one ? changeIn(member, rest, change) : member,
  ]);
  return Object.fromEntries(members);
};

/** Changes every value at a path, `songs[].metrics.*`, where there is one. */
export const at =
  <Value>(path: string, change: (value: Value) => unknown) =>
  (wire: object): object =>
    // The path leads to objects, whose values are of the type that the change takes.
    Object(changeIn(wire, path.split(/\.|(?=\[\])/), (value) => change(value as Value)));

/** Changes to what a route presents, at a path of each item, or of the envelope. */
export const show = <Value>(path: string, change: (value: Value) => unknown) => ({
  show: at(path, change),
});
export const showHistory = <Value>(path: string, change: (value: Value) => unknown) => ({
  showHistory: at(path, change),
});
export const around = <Value>(path: string, change: (value: Value) => unknown) => ({
  around: (envelope: Fields): Fields => ({ ...at(path, change)(envelope) }),
});
