import { isDeepStrictEqual } from 'node:util';
import { listAt, numberAt, textAt } from '../../../src/domain/json.ts';
import { type ComparedForm, comparedForms } from '../../migration/mapping/forms.ts';
import { requestedNumber } from '../../migration/mapping/request-rows.ts';
import type { ComparisonCase } from '../cases/cases.ts';
import { pathBelow, type SideResponse } from '../cases/send-request.ts';
import { type ComparedLine, violation } from './lines.ts';
import { byLowerCase } from './orders.ts';

/** A rule that one response must satisfy alone. */
interface Invariant {
  readonly says: string;
  readonly lists: readonly ComparisonCase['items'][];
  readonly forms: readonly ComparedForm[];
  readonly row?: string;
  readonly check: (answer: SideResponse, form: ComparedForm) => string | false | undefined;
}

const every = { lists: ['artists', 'spikes', 'signings'], forms: comparedForms } as const;

const labels = {
  lists: ['signings'],
  forms: ['variant'],
  row: 'envelope._meta.labels_tracked[]',
} as const;

const labelsOf = ({ bodies }: SideResponse): string[] =>
  listAt(bodies[0], '_meta.labels_tracked').map(String);

/** The rules that follow neither from the mapping nor from the whole shortlist. */
const invariants: readonly Invariant[] = [
  {
    ...every,
    says: 'A page has at most as many items as its limit.',
    check: ({ bodies, limit }) =>
      bodies.some((body) => listAt(body, 'data').length > limit) &&
      `A page has more items than its limit of ${limit}.`,
  },
  {
    ...every,
    says: 'The count is the number of items.',
    row: 'envelope.meta.count',
    check({ bodies }, form) {
      const member = form === 'current' ? 'meta.count' : 'count';
      const isWrong = bodies.some((body) => {
        const { length } = listAt(body, 'data');
        return (numberAt(body, member) ?? length) !== length;
      });
      return isWrong && `${member} is not the number of items.`;
    },
  },
  {
    says: 'The envelope names the requested window.',
    lists: ['spikes'],
    forms: comparedForms,
    row: 'envelope.meta.window.days',
    check(answer, form) {
      const days = requestedNumber(form, pathBelow(answer), 'days');
      const member = form === 'current' ? 'meta.window.days' : 'period_days';
      return (
        numberAt(answer.bodies[0], member) !== days && `${member} is not ${days}, as requested.`
      );
    },
  },
  {
    says: '_meta.labels_tracked is alphabetical.',
    ...labels,
    check(answer) {
      const tracked = labelsOf(answer);
      return (
        !isDeepStrictEqual(tracked, tracked.toSorted(byLowerCase)) &&
        '_meta.labels_tracked is not alphabetical.'
      );
    },
  },
  {
    says: 'Every detected label is in _meta.labels_tracked.',
    ...labels,
    check(answer) {
      const songs = answer.items.flatMap((item) => listAt(item, 'label_songs'));
      const tracked = labelsOf(answer);
      const odd = songs
        .map((song) => textAt(song, 'label_detected') ?? '')
        .find((label) => !tracked.includes(label));
      return odd !== undefined && `${JSON.stringify(odd)} is detected and not tracked.`;
    },
  },
];

export const invariantLines = (
  items: ComparisonCase['items'],
  form: ComparedForm,
  answer: SideResponse,
): ComparedLine[] =>
  invariants
    .filter(({ lists, forms }) => lists.includes(items) && forms.includes(form))
    .flatMap(({ says, row, check }) => {
      const text = check(answer, form);
      return text ? [violation(says, `The ${form} form: ${text}`, row)] : [];
    });
