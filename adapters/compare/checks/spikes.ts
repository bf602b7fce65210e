import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import { numberAt, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import { requestedNumber } from '../../../src/crosswalk/request-rows.ts';
import { addDays, daysBetween } from '../../../src/domain/day.ts';
import { pathBelow } from '../cases/send-request.ts';
import { changeBetween, expectedSpikes, slackDays } from './expected-spikes.ts';
import {
  byText,
  eachItem,
  greatestFirst,
  type Invariant,
  invariant,
  noDuplicates,
  onePage,
  ordered,
  thenBy,
} from './invariants.ts';
import { byMembers, type ListCheck } from './list-check.ts';

const byGrowth = thenBy(greatestFirst('percent_change'), greatestFirst('delta'));

const changeIsRight: Invariant['check'] = eachItem((item) => {
  const [previous = 0, current = 0] = [numberAt(item, 'previous'), numberAt(item, 'current')];
  if (previous <= 0) return ['previous must be above 0.'];
  const { delta, percent_change } = changeBetween(previous, current);
  return [
    numberAt(item, 'delta') !== delta && 'delta is not current minus previous.',
    numberAt(item, 'percent_change') !== percent_change &&
      'percent_change is not delta in per cent of previous, two decimals.',
  ];
});

const changeIsCorrect = invariant(
  'delta is current minus previous, and percent_change is delta in per cent of previous with two decimals.',
  changeIsRight,
  'spike.percent_change',
  { of: 'computed', from: ['spike.previous', 'spike.current', 'spike.delta'] },
);

const windowHasItsLength: Invariant['check'] = eachItem((item) => {
  const days = numberAt(item, 'window.days') ?? 0;
  const apart = daysBetween(textAt(item, 'window.from') ?? '', textAt(item, 'window.to') ?? '');
  const fits = apart >= days && apart <= days + slackDays;
  return [!fits && `window.from and window.to are ${apart} days apart, not ${days} to ${days + slackDays}.`];
});

const windowIsRecent: Invariant['check'] = ({ bodies, items }) => {
  const today = textAt(bodies[0], 'meta.generated_at')?.slice(0, 10);
  if (today === undefined) return [];
  const since = addDays(today, -slackDays);
  return items.flatMap((item, index) => {
    const to = textAt(item, 'window.to') ?? '';
    return to >= since && to <= today ? [] : [`items[${index}]: window.to is not within two days before the answer.`];
  });
};

const windowIsAsAsked = (form: ComparedForm, envelopeMember: string, itemMember: string): Invariant => {
  const check: Invariant['check'] = (answer) => {
    const days = requestedNumber(form, pathBelow(answer), 'days');
    const shown = [valueAt(answer.bodies[0], envelopeMember), ...answer.items.map((item) => valueAt(item, itemMember))];
    return shown.every((one) => one === days) ? [] : [`${envelopeMember} and ${itemMember} must be ${days}, as asked.`];
  };
  return invariant('The envelope and every item name the requested window.', check, 'spike.window.days');
};

export const spikeCheck: ListCheck = {
  table: 'spike',
  identify: () => byMembers('artist_name', 'metric'),
  invariants: {
    current: [
      onePage,
      windowIsAsAsked('current', 'meta.window.days', 'window.days'),
      ordered('by growth, delta, artist and metric', thenBy(byGrowth, byText('artist_id'), byText('metric'))),
      changeIsCorrect,
      invariant(
        'window.from is the window before window.to, or up to 2 days more.',
        windowHasItsLength,
        'spike.window.from',
      ),
      invariant('window.to is today or up to 2 days before.', windowIsRecent, 'spike.window.to'),
      noDuplicates('artist_id', 'metric'),
    ],
    variant: [
      windowIsAsAsked('variant', 'period_days', 'period_days'),
      ordered('by growth and delta', byGrowth),
      changeIsCorrect,
    ],
  },
  identity: ['artist_id', 'metric'],
  expectedItems: ({ artists, spikes: settings }, { path, today, items }) => {
    const days = requestedNumber('current', path, 'days') ?? 0;
    const engine = valueAt(items[0], 'engine') ?? null; // the gateway's own, the same in every item
    return expectedSpikes(artists, { days, today, settings }).map((spike) => ({ ...spike, engine }));
  },
};
