import type { QueryString } from '../../../adapters/forms/form.ts';
import { addDays } from '../../../src/domain/day.ts';
import type { Filters } from '../../../src/domain/filters.ts';
import {
  currentAdded,
  currentArtists,
  faultsOf,
  listing,
  variantArtists,
  variantSpikes,
} from './faulty.ts';

const currentFiltering = (change: (filters: Filters) => Filters) =>
  currentArtists({ question: (question) => ({ ...question, filters: change(question.filters) }) });

/** The current form with a query in which some values are replaced. */
const asIf = (change: (name: string, values: readonly string[]) => readonly string[]) =>
  currentArtists({
    query: (query: QueryString) => {
      const names = query.names.filter((name) => change(name, query.values(name)).length > 0);
      return { ...query, names, values: (name) => change(name, query.values(name)) };
    },
  });

/** Faults in how the current form reads parameters. */
const currentParameterFaults = faultsOf('parameters', {
  'added_since leaves out its day': currentFiltering(({ addedSince, ...filters }) =>
    addedSince === undefined ? filters : { ...filters, addedSince: addDays(addedSince, 1) },
  ),
  'a name is found at the beginning only': currentArtists({
    catalogue: listing((artists, { name = '' }) =>
      artists.filter((artist) => artist.name.toUpperCase().startsWith(name.toUpperCase())),
    ),
  }),
  'a name is found in its own case only': currentArtists({
    catalogue: listing((artists, { name = '' }) =>
      artists.filter((artist) => artist.name.normalize('NFC').includes(name)),
    ),
  }),
  'a dot in a name matches any letter': currentFiltering(({ name, ...filters }) =>
    name === '.' || name === undefined ? filters : { ...filters, name },
  ),
  'id does not go with tier': currentFiltering((filters) =>
    filters.id === undefined ? filters : { id: filters.id },
  ),
  'the default limit is 20': {
    large: true,
    forms: currentArtists({
      question: (question, query) =>
        query.values('limit').length === 0 ? { ...question, limit: 20 } : question,
    }),
  },
  'include=history is ignored': currentArtists({
    question: (question) => ({ ...question, includeHistory: false }),
  }),
  'history is always included': currentArtists({
    question: (question) => ({ ...question, includeHistory: true }),
  }),
  'a cursor is ignored': currentArtists({
    question: (question) => ({ ...question, cursor: undefined }),
  }),
  'a limit that is too high is clamped': asIf((name, values) =>
    name === 'limit' && Number(values[0]) > 100 ? ['100'] : values,
  ),
  'an unknown parameter is ignored': asIf((name, values) => (name === 'colour' ? [] : values)),
  'the default of /added is thirty days': currentAdded({
    question: (question, query) =>
      query.values('days').length === 0 ? { ...question, days: 30 } : question,
  }),
});

const filtering = (change: (filters: Filters, query: QueryString) => Filters) =>
  variantArtists({
    question: (question, query) => ({ ...question, filters: change(question.filters, query) }),
  });

/** Filters nothing when a parameter has this text. */
const ignoring = (name: string, text: string) =>
  filtering((filters, query) => (query.values(name)[0] === text ? {} : filters));

const limiting = (change: (limit: number, given: readonly string[]) => number) =>
  variantArtists({
    question: (question, query) => ({
      ...question,
      limit: change(question.limit, query.values('limit')),
    }),
  });

/** Faults in how the variant form reads parameters. */
const variantParameterFaults = faultsOf('parameters', {
  'signed=false leaves out unknown': variantArtists({
    catalogue: listing((artists, { signed }) =>
      signed === false ? artists.filter(({ signing }) => signing.status === 'unsigned') : artists,
    ),
  }),
  'tier=Watch is taken for watch': filtering((filters, query) =>
    query.values('tier')[0] === 'Watch' ? { tier: 'watch' } : filters,
  ),
  'signed=TRUE is not understood': filtering((filters, query) =>
    query.values('signed')[0] === 'TRUE' ? { ...filters, nothing: true } : filters,
  ),
  'a signed that is not understood filters nothing': ignoring('signed', 'maybe'),
  'an empty tier filters nothing': ignoring('tier', ''),
  'a tier that does not exist filters nothing': ignoring('tier', 'nobody'),
  'new leaves out its first day': filtering(({ addedWithinDays: days, ...filters }) =>
    days === undefined ? filters : { ...filters, addedWithinDays: days - 1 },
  ),
  'new that is not a number filters nothing': ignoring('new', 'week'),
  'new together with tier forgets the tier': filtering(({ tier, ...filters }) =>
    filters.addedWithinDays === undefined && tier !== undefined ? { ...filters, tier } : filters,
  ),
  'limit=0 means the most': limiting((limit, [given]) => (given === '0' ? 200 : limit)),
  'of two limits the last counts': limiting((limit, given) =>
    given.length > 1 ? Number(given.at(-1)) : limit,
  ),
  'the default limit is 50': {
    large: true,
    forms: limiting((limit, given) => (given.length === 0 ? 50 : limit)),
  },
  'the greatest limit is 100': { large: true, forms: limiting((limit) => Math.min(limit, 100)) },
  'repaired parameters are not reported': variantArtists({ hidesRepairs: true }),
  'an unknown id has an empty list': variantArtists({
    catalogue: (catalogue) => ({
      ...catalogue,
      artists(question, viewer) {
        const { documentId } = question.filters;
        const isKnown = documentId === undefined || catalogue.snapshot.byDocumentId.has(documentId);
        return catalogue.artists(
          isKnown ? question : { ...question, filters: { nothing: true } },
          viewer,
        );
      },
    }),
  }),
  'the stable id is accepted too': variantArtists({
    catalogue: (catalogue) => ({
      ...catalogue,
      artists(question, viewer) {
        const { documentId, ...filters } = question.filters;
        const isStable = documentId !== undefined && catalogue.snapshot.byId.has(documentId);
        const asked = isStable
          ? { ...question, filters: { ...filters, id: documentId } }
          : question;
        return catalogue.artists(asked, viewer);
      },
    }),
  }),
  'the window of spikes is a day longer': variantSpikes({
    question: (question) => ({ ...question, days: question.days + 1 }),
  }),
  'days above the range are not clamped': variantSpikes({
    question: (question, query) =>
      query.values('days')[0] === '99' ? { ...question, days: 33 } : question,
  }),
});

/** Faults in how the forms read parameters. */
export const parameterFaults = [...variantParameterFaults, ...currentParameterFaults];
