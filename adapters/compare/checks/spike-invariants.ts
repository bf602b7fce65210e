import { numberAt, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import { addDays, daysBetween } from '../../../src/domain/day.ts';
import { daysOf } from '../cases/ranges.ts';
import { below, byText, eachItem, greatestFirst, type Invariant, noDoubles, ordered, thenBy } from './invariant.ts';

const byGrowth = thenBy(greatestFirst('percent_change'), greatestFirst('delta'));

const sums = eachItem((item) => {
  const previous = numberAt(item, 'previous') ?? 0;
  const delta = numberAt(item, 'delta') ?? 0;
  const growth = Math.round((delta * 10_000) / previous) / 100;
  return [
    (numberAt(item, 'current') ?? 0) - previous !== delta && 'delta is not current minus previous.',
    numberAt(item, 'percent_change') !== growth && 'percent_change is not delta in per cent of previous, two decimals.',
  ];
});

/** How far the two compared days may be from where they are looked for. */
const slackDays = 2;

const windowIsMeant = eachItem((item) => {
  const days = numberAt(item, 'window.days') ?? 0;
  const apart = daysBetween(textAt(item, 'window.from') ?? '', textAt(item, 'window.to') ?? '');
  const isMeant = apart >= days && apart <= days + slackDays;
  return [!isMeant && `window.from and window.to are ${apart} days apart, not ${days} to ${days + slackDays}.`];
});

const windowIsRecent: Invariant = ({ bodies, items }) => {
  const today = textAt(bodies[0], 'meta.generated_at')?.slice(0, 10);
  if (today === undefined) return [];
  const since = addDays(today, -slackDays);
  return items.flatMap((item, place) => {
    const to = textAt(item, 'window.to') ?? '';
    return to >= since && to <= today ? [] : [`items[${place}]: window.to is not within two days before the answer.`];
  });
};

/** The window is the one that was asked for, in the envelope and in every item. */
const asksDays =
  (form: FormName, ofAnswer: string, ofItem: string): Invariant =>
  (answer) => {
    const days = daysOf(form, below(answer));
    const told = [valueAt(answer.bodies[0], ofAnswer), ...answer.items.map((item) => valueAt(item, ofItem))];
    return told.every((one) => one === days) ? [] : [`${ofAnswer} and ${ofItem} must be ${days}, as asked.`];
  };

export const spikeLaws: Readonly<Record<FormName, readonly Invariant[]>> = {
  current: [
    asksDays('current', 'meta.window.days', 'window.days'),
    ordered('by growth, delta, artist and metric', thenBy(byGrowth, byText('artist_id'), byText('metric'))),
    sums,
    windowIsMeant,
    windowIsRecent,
    noDoubles('artist_id', 'metric'),
  ],
  variant: [asksDays('variant', 'period_days', 'period_days'), ordered('by growth and delta', byGrowth), sums],
};
