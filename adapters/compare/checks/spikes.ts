import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import { type Json, listAt, numberAt, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import { requestedNumber } from '../../../src/crosswalk/request-rows.ts';
import { addDays, daysBetween } from '../../../src/domain/day.ts';
import { pathBelow } from '../cases/send-request.ts';
import {
  aboutRow,
  byText,
  eachItem,
  greatestFirst,
  type Invariant,
  noDuplicates,
  onePage,
  ordered,
  thenBy,
} from './invariants.ts';
import { byMembers, createStoredComparison, type ListCheck } from './list-check.ts';
import { createMemberComparison } from './members.ts';

const byGrowth = thenBy(greatestFirst('percent_change'), greatestFirst('delta'));

const changeIsCorrect = eachItem((item) => {
  const previous = numberAt(item, 'previous') ?? 0;
  const delta = numberAt(item, 'delta') ?? 0;
  const growth = Math.round((delta * 10_000) / previous) / 100;
  return [
    (numberAt(item, 'current') ?? 0) - previous !== delta && 'delta is not current minus previous.',
    numberAt(item, 'percent_change') !== growth && 'percent_change is not delta in per cent of previous, two decimals.',
  ];
});

/** Days that each of the two compared points may be older than the window. */
const slackDays = 2;

const windowHasItsLength = eachItem((item) => {
  const days = numberAt(item, 'window.days') ?? 0;
  const apart = daysBetween(textAt(item, 'window.from') ?? '', textAt(item, 'window.to') ?? '');
  const fits = apart >= days && apart <= days + slackDays;
  return [!fits && `window.from and window.to are ${apart} days apart, not ${days} to ${days + slackDays}.`];
});

const windowIsRecent: Invariant = ({ bodies, items }) => {
  const today = textAt(bodies[0], 'meta.generated_at')?.slice(0, 10);
  if (today === undefined) return [];
  const since = addDays(today, -slackDays);
  return items.flatMap((item, index) => {
    const to = textAt(item, 'window.to') ?? '';
    return to >= since && to <= today ? [] : [`items[${index}]: window.to is not within two days before the answer.`];
  });
};

/** The envelope and every item name the requested window. */
const windowIsAsAsked =
  (form: ComparedForm, envelopeMember: string, itemMember: string): Invariant =>
  (answer) => {
    const days = requestedNumber(form, pathBelow(answer), 'days');
    const shown = [valueAt(answer.bodies[0], envelopeMember), ...answer.items.map((item) => valueAt(item, itemMember))];
    return shown.every((one) => one === days) ? [] : [`${envelopeMember} and ${itemMember} must be ${days}, as asked.`];
  };

const compareWithStored = createStoredComparison('spike');

const valueOn = (stored: Json, metric: string, day: string): Json | undefined =>
  valueAt(
    listAt(stored, `history.${metric}`).find((point) => textAt(point, 'date') === day),
    'value',
  );

export const spikeCheck: ListCheck = {
  compareMembers: createMemberComparison('spike'),
  identify: () => byMembers('artist_name', 'metric'),
  invariants: {
    current: [
      onePage,
      aboutRow('spike.window.days', windowIsAsAsked('current', 'meta.window.days', 'window.days')),
      ordered('by growth, delta, artist and metric', thenBy(byGrowth, byText('artist_id'), byText('metric'))),
      aboutRow('spike.percent_change', changeIsCorrect),
      aboutRow('spike.window.from', windowHasItsLength),
      aboutRow('spike.window.to', windowIsRecent),
      noDuplicates('artist_id', 'metric'),
    ],
    variant: [
      aboutRow('spike.window.days', windowIsAsAsked('variant', 'period_days', 'period_days')),
      ordered('by growth and delta', byGrowth),
      aboutRow('spike.percent_change', changeIsCorrect),
    ],
  },
  artistId: 'artist_id',
  checkStored(shown, { withHistory: stored }) {
    const storedOn = (day: string) => valueOn(stored, textAt(shown, 'metric') ?? '', textAt(shown, day) ?? '');
    return [
      ...compareWithStored('artist_name', textAt(shown, 'artist_name'), textAt(stored, 'name')),
      ...compareWithStored('previous', valueAt(shown, 'previous'), storedOn('window.from')),
      ...compareWithStored('current', valueAt(shown, 'current'), storedOn('window.to')),
      ...compareWithStored('links.tiktok', valueAt(shown, 'links.tiktok'), valueAt(stored, 'links.tiktok')),
    ];
  },
};
