import type { ParseParameters, Query } from '../../../adapters/forms/form.ts';
import * as variantParams from '../../../adapters/forms/variant/params.ts';
import type { Filters } from '../../../src/catalogue/questions.ts';
import { type Fault, variantArtists, variantSpikes } from './faulty.ts';

const group = 'parameters';

type VariantQuestion = variantParams.VariantArtistsQuestion;

/** Reads parameters as the variant form does, then changes the question. */
const reading =
  (change: (question: VariantQuestion, query: Query) => VariantQuestion): ParseParameters<VariantQuestion> =>
  (query, path) => {
    const { question, adjusted } = variantParams.parseArtists(query, path);
    return { question: change(question, query), adjusted };
  };

const filtering = (change: (filters: Filters, query: Query) => Filters) =>
  variantArtists({
    params: reading((question, query) => ({ ...question, filters: change(question.filters, query) })),
  });

/** Faults in how the variant form reads parameters. */
export const variantParameterFaults: readonly Fault[] = [
  {
    group,
    name: 'signed=false leaves out unknown',
    forms: variantArtists({
      ask: (catalogue, question, viewer) => {
        const answer = catalogue.artists(question, viewer);
        if (question.filters.signed !== false) return answer;
        return { ...answer, artists: answer.artists.filter(({ signing }) => signing.status === 'unsigned') };
      },
    }),
  },
  {
    group,
    name: 'signed=TRUE is not understood',
    forms: filtering((filters, query) =>
      query.values('signed')[0] === 'TRUE' ? { ...filters, nothing: true } : filters,
    ),
  },
  {
    group,
    name: 'a signed that is not understood filters nothing',
    forms: filtering((filters, query) => (query.values('signed')[0] === 'maybe' ? {} : filters)),
  },
  {
    group,
    name: 'an empty tier filters nothing',
    forms: filtering((filters, query) => (query.values('tier')[0] === '' ? {} : filters)),
  },
  {
    group,
    name: 'a tier that does not exist filters nothing',
    forms: filtering((filters, query) => (query.values('tier')[0] === 'nobody' ? {} : filters)),
  },
  {
    group,
    name: 'new leaves out its first day',
    forms: filtering(({ addedWithinDays: days, ...filters }) =>
      days === undefined ? filters : { ...filters, addedWithinDays: days - 1 },
    ),
  },
  {
    group,
    name: 'new that is no number filters nothing',
    forms: filtering((filters, query) => (query.values('new')[0] === 'week' ? {} : filters)),
  },
  {
    group,
    name: 'new together with tier forgets the tier',
    forms: filtering(({ tier, ...filters }) =>
      filters.addedWithinDays === undefined && tier !== undefined ? { ...filters, tier } : filters,
    ),
  },
  {
    group,
    name: 'limit=0 means the most',
    forms: variantArtists({
      params: reading((question, query) => (query.values('limit')[0] === '0' ? { ...question, limit: 200 } : question)),
    }),
  },
  {
    group,
    name: 'of two limits the last counts',
    forms: variantArtists({
      params: reading((question, query) =>
        query.values('limit').length > 1 ? { ...question, limit: Number(query.values('limit').at(-1)) } : question,
      ),
    }),
  },
  {
    group,
    name: 'the default limit is 50',
    large: true,
    forms: variantArtists({
      params: reading((question, query) =>
        query.values('limit').length === 0 ? { ...question, limit: 50 } : question,
      ),
    }),
  },
  {
    group,
    name: 'the greatest limit is 100',
    large: true,
    forms: variantArtists({ params: reading((question) => ({ ...question, limit: Math.min(question.limit, 100) })) }),
  },
  {
    group,
    name: 'repaired parameters are not reported',
    forms: variantArtists({
      params: (query, path) => ({ ...variantParams.parseArtists(query, path), adjusted: [] }),
    }),
  },
  {
    group,
    name: 'an unknown id has an empty list',
    forms: variantArtists({
      ask: (catalogue, question, viewer) => {
        const isKnown = catalogue.snapshot.byDocumentId.has(question.filters.documentId ?? '');
        const filters = question.filters.documentId === undefined || isKnown ? question.filters : { nothing: true };
        return catalogue.artists({ ...question, filters }, viewer);
      },
    }),
  },
  {
    group,
    name: 'the stable id is accepted too',
    forms: variantArtists({
      ask: (catalogue, question, viewer) => {
        const { documentId, ...filters } = question.filters;
        const isStable = documentId !== undefined && catalogue.snapshot.byId.has(documentId);
        return catalogue.artists(
          isStable ? { ...question, filters: { ...filters, id: documentId } } : question,
          viewer,
        );
      },
    }),
  },
  {
    group,
    name: 'the window of spikes is a day longer',
    forms: variantSpikes({
      params: (query, path) => {
        const { question, adjusted } = variantParams.parseSpikes(query, path);
        return { question: { days: question.days + 1 }, adjusted };
      },
    }),
  },
  {
    group,
    name: 'days above the range are not clamped',
    forms: variantSpikes({
      params: (query, path) => {
        const { question, adjusted } = variantParams.parseSpikes(query, path);
        return { question: query.values('days')[0] === '99' ? { days: 33 } : question, adjusted };
      },
    }),
  },
];
