import * as currentParams from '../../../adapters/forms/current/params.ts';
import type { Query } from '../../../adapters/forms/form.ts';
import type { ArtistsQuestion } from '../../../src/catalogue/questions.ts';
import { addDays } from '../../../src/domain/day.ts';
import { currentAdded, currentArtists, type Fault } from './faulty.ts';

const group = 'parameters';

const readingCurrent = (change: (question: ArtistsQuestion, query: Query) => ArtistsQuestion) =>
  currentArtists({
    params: (query, path) => ({
      question: change(currentParams.parseArtists(query, path).question, query),
      adjusted: [],
    }),
  });

/** A query with some of its values replaced. */
const asIf = (query: Query, change: (name: string, values: readonly string[]) => readonly string[]): Query => {
  const names = query.names.filter((name) => change(name, query.values(name)).length > 0);
  return { ...query, names, values: (name) => change(name, query.values(name)) };
};

/** Faults in how the current form reads parameters. */
export const currentParameterFaults: readonly Fault[] = [
  {
    group,
    name: 'added_since leaves out its day',
    forms: readingCurrent((question) => {
      const { addedSince, ...filters } = question.filters;
      return addedSince === undefined
        ? question
        : { ...question, filters: { ...filters, addedSince: addDays(addedSince, 1) } };
    }),
  },
  {
    group,
    name: 'a name is found at the beginning only',
    forms: currentArtists({
      ask: (catalogue, question, viewer) => {
        const answer = catalogue.artists(question, viewer);
        const name = question.filters.name?.toUpperCase() ?? '';
        return { ...answer, artists: answer.artists.filter((artist) => artist.name.toUpperCase().startsWith(name)) };
      },
    }),
  },
  {
    group,
    name: 'a name is found in its own case only',
    forms: currentArtists({
      ask: (catalogue, question, viewer) => {
        const answer = catalogue.artists(question, viewer);
        const name = question.filters.name ?? '';
        return { ...answer, artists: answer.artists.filter((artist) => artist.name.normalize('NFC').includes(name)) };
      },
    }),
  },
  {
    group,
    name: 'a dot in a name matches any letter',
    forms: readingCurrent((question) =>
      question.filters.name === '.' ? { ...question, filters: { ...question.filters, name: undefined } } : question,
    ),
  },
  {
    group,
    name: 'id does not go with tier',
    forms: readingCurrent((question) =>
      question.filters.id === undefined ? question : { ...question, filters: { id: question.filters.id } },
    ),
  },
  {
    group,
    name: 'the default limit is 20',
    large: true,
    forms: readingCurrent((question, query) =>
      query.values('limit').length === 0 ? { ...question, limit: 20 } : question,
    ),
  },
  {
    group,
    name: 'include=history is ignored',
    forms: readingCurrent((question) => ({ ...question, includeHistory: false })),
  },
  {
    group,
    name: 'history is always included',
    forms: readingCurrent((question) => ({ ...question, includeHistory: true })),
  },
  {
    group,
    name: 'a cursor is ignored',
    forms: readingCurrent((question) => ({ ...question, cursor: undefined })),
  },
  {
    group,
    name: 'a limit that is too high is clamped',
    forms: currentArtists({
      params: (query, path) =>
        currentParams.parseArtists(
          asIf(query, (name, values) => (name === 'limit' && Number(values[0]) > 100 ? ['100'] : values)),
          path,
        ),
    }),
  },
  {
    group,
    name: 'an unknown parameter is ignored',
    forms: currentArtists({
      params: (query, path) =>
        currentParams.parseArtists(
          asIf(query, (name, values) => (name === 'colour' ? [] : values)),
          path,
        ),
    }),
  },
  {
    group,
    name: 'the default of /added is thirty days',
    forms: currentAdded((query, path) => {
      const { question, adjusted } = currentParams.parseAdded(query, path);
      return { question: query.values('days').length === 0 ? { ...question, days: 30 } : question, adjusted };
    }),
  },
];
