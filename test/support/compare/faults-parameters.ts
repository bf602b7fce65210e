import type { QueryString } from '../../../adapters/forms/form.ts';
import type { Filters } from '../../../src/domain/filters.ts';
import { currentArtists, faultsOf, listing, variantArtists } from './faulty.ts';

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
  'a name is found in its own case only': currentArtists({
    catalogue: listing((artists, { name = '' }) =>
      artists.filter((artist) => artist.name.normalize('NFC').includes(name)),
    ),
  }),
  'the default limit is 49': {
    large: true,
    forms: currentArtists({
      question: (question, query) =>
        query.values('limit').length === 0 ? { ...question, limit: 49 } : question,
    }),
  },
  'include=history is ignored': currentArtists({
    question: (question) => ({ ...question, includeHistory: false }),
  }),
  'a cursor is ignored': currentArtists({
    question: (question) => ({ ...question, cursor: undefined }),
  }),
  'an unknown parameter is ignored': asIf((name, values) => (name === 'colour' ? [] : values)),
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
  'signed=TRUE is not understood': filtering((filters, query) =>
    query.values('signed')[0] === 'TRUE' ? { ...filters, nothing: true } : filters,
  ),
  'a signed that is not understood filters nothing': ignoring('signed', 'maybe'),
  'new leaves out its first day': filtering(({ addedWithinDays: days, ...filters }) =>
    days === undefined ? filters : { ...filters, addedWithinDays: days - 1 },
  ),
  'new together with tier forgets the tier': filtering(({ tier, ...filters }) =>
    filters.addedWithinDays === undefined && tier !== undefined ? { ...filters, tier } : filters,
  ),
  'limit=0 means the most': limiting((limit, [given]) => (given === '0' ? 200 : limit)),
  'the default limit is 50': {
    large: true,
    forms: limiting((limit, given) => (given.length === 0 ? 50 : limit)),
  },
  'the greatest limit is 100': { large: true, forms: limiting((limit) => Math.min(limit, 100)) },
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
});

/** Faults in how the forms read parameters. */
export const parameterFaults = [...variantParameterFaults, ...currentParameterFaults];
