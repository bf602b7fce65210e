import type { Query } from '../../../adapters/forms/form.ts';
import type { Filters } from '../../../src/domain/filters.ts';
import { faultsOf, listing, variantArtists, variantSpikes } from './faulty.ts';

const filtering = (change: (filters: Filters, query: Query) => Filters) =>
  variantArtists({
    question: (question, query) => ({ ...question, filters: change(question.filters, query) }),
  });

/** Filters nothing when a parameter has this text. */
const ignoring = (name: string, text: string) =>
  filtering((filters, query) => (query.values(name)[0] === text ? {} : filters));

const limiting = (change: (limit: number, given: readonly string[]) => number) =>
  variantArtists({
    question: (question, query) => ({ ...question, limit: change(question.limit, query.values('limit')) }),
  });

/** Faults in how the variant form reads parameters. */
export const variantParameterFaults = faultsOf('parameters', {
  'signed=false leaves out unknown': {
    forms: variantArtists({
      catalogue: listing((artists, { signed }) =>
        signed === false ? artists.filter(({ signing }) => signing.status === 'unsigned') : artists,
      ),
    }),
  },
  'signed=TRUE is not understood': {
    forms: filtering((filters, query) =>
      query.values('signed')[0] === 'TRUE' ? { ...filters, nothing: true } : filters,
    ),
  },
  'a signed that is not understood filters nothing': { forms: ignoring('signed', 'maybe') },
  'an empty tier filters nothing': { forms: ignoring('tier', '') },
  'a tier that does not exist filters nothing': { forms: ignoring('tier', 'nobody') },
  'new leaves out its first day': {
    forms: filtering(({ addedWithinDays: days, ...filters }) =>
      days === undefined ? filters : { ...filters, addedWithinDays: days - 1 },
    ),
  },
  'new that is not a number filters nothing': { forms: ignoring('new', 'week') },
  'new together with tier forgets the tier': {
    forms: filtering(({ tier, ...filters }) =>
      filters.addedWithinDays === undefined && tier !== undefined ? { ...filters, tier } : filters,
    ),
  },
  'limit=0 means the most': { forms: limiting((limit, [given]) => (given === '0' ? 200 : limit)) },
  'of two limits the last counts': {
    forms: limiting((limit, given) => (given.length > 1 ? Number(given.at(-1)) : limit)),
  },
  'the default limit is 50': { large: true, forms: limiting((limit, given) => (given.length === 0 ? 50 : limit)) },
  'the greatest limit is 100': { large: true, forms: limiting((limit) => Math.min(limit, 100)) },
  'repaired parameters are not reported': { forms: variantArtists({ hidesRepairs: true }) },
  'an unknown id has an empty list': {
    forms: variantArtists({
      catalogue: (catalogue) => ({
        ...catalogue,
        artists(question, viewer) {
          const { documentId } = question.filters;
          const isKnown = documentId === undefined || catalogue.snapshot.byDocumentId.has(documentId);
          return catalogue.artists(isKnown ? question : { ...question, filters: { nothing: true } }, viewer);
        },
      }),
    }),
  },
  'the stable id is accepted too': {
    forms: variantArtists({
      catalogue: (catalogue) => ({
        ...catalogue,
        artists(question, viewer) {
          const { documentId, ...filters } = question.filters;
          const isStable = documentId !== undefined && catalogue.snapshot.byId.has(documentId);
          const asked = isStable ? { ...question, filters: { ...filters, id: documentId } } : question;
          return catalogue.artists(asked, viewer);
        },
      }),
    }),
  },
  'the window of spikes is a day longer': {
    forms: variantSpikes({ question: (question) => ({ ...question, days: question.days + 1 }) }),
  },
  'days above the range are not clamped': {
    forms: variantSpikes({
      question: (question, query) => (query.values('days')[0] === '99' ? { ...question, days: 33 } : question),
    }),
  },
});
