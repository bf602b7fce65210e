import type { Query } from '../../../adapters/forms/form.ts';
import { addDays } from '../../../src/domain/day.ts';
import type { Filters } from '../../../src/domain/filters.ts';
import { currentAdded, currentArtists, faultsOf, listing } from './faulty.ts';

const filtering = (change: (filters: Filters) => Filters) =>
  currentArtists({ question: (question) => ({ ...question, filters: change(question.filters) }) });

/** The current form with a query in which some values are replaced. */
const asIf = (change: (name: string, values: readonly string[]) => readonly string[]) =>
  currentArtists({
    query: (query: Query) => {
      const names = query.names.filter((name) => change(name, query.values(name)).length > 0);
      return { ...query, names, values: (name) => change(name, query.values(name)) };
    },
  });

/** Faults in how the current form reads parameters. */
export const currentParameterFaults = faultsOf('parameters', {
  'added_since leaves out its day': {
    forms: filtering(({ addedSince, ...filters }) =>
      addedSince === undefined ? filters : { ...filters, addedSince: addDays(addedSince, 1) },
    ),
  },
  'a name is found at the beginning only': {
    forms: currentArtists({
      catalogue: listing((artists, { name = '' }) =>
        artists.filter((artist) => artist.name.toUpperCase().startsWith(name.toUpperCase())),
      ),
    }),
  },
  'a name is found in its own case only': {
    forms: currentArtists({
      catalogue: listing((artists, { name = '' }) =>
        artists.filter((artist) => artist.name.normalize('NFC').includes(name)),
      ),
    }),
  },
  'a dot in a name matches any letter': {
    forms: filtering(({ name, ...filters }) => (name === '.' || name === undefined ? filters : { ...filters, name })),
  },
  'id does not go with tier': {
    forms: filtering((filters) => (filters.id === undefined ? filters : { id: filters.id })),
  },
  'the default limit is 20': {
    large: true,
    forms: currentArtists({
      question: (question, query) => (query.values('limit').length === 0 ? { ...question, limit: 20 } : question),
    }),
  },
  'include=history is ignored': {
    forms: currentArtists({ question: (question) => ({ ...question, includeHistory: false }) }),
  },
  'history is always included': {
    forms: currentArtists({ question: (question) => ({ ...question, includeHistory: true }) }),
  },
  'a cursor is ignored': { forms: currentArtists({ question: (question) => ({ ...question, cursor: undefined }) }) },
  'a limit that is too high is clamped': {
    forms: asIf((name, values) => (name === 'limit' && Number(values[0]) > 100 ? ['100'] : values)),
  },
  'an unknown parameter is ignored': { forms: asIf((name, values) => (name === 'colour' ? [] : values)) },
  'the default of /added is thirty days': {
    forms: currentAdded({
      question: (question, query) => (query.values('days').length === 0 ? { ...question, days: 30 } : question),
    }),
  },
});
