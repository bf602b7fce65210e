import { addDays } from '../../../src/domain/day.ts';
import { currentSpikes, type Fault, signings, variantSpikes } from './faulty.ts';
import { without } from './without.ts';

const group = 'presenter';

/** Faults in how both forms present spikes and signings. */
export const signalFaults: readonly Fault[] = [
  {
    group,
    name: 'previous and current are swapped',
    forms: variantSpikes({ show: (wire) => ({ ...wire, previous: wire.current, current: wire.previous }) }),
  },
  {
    group,
    name: 'percent_change is computed again, with one decimal',
    forms: variantSpikes({
      show: (wire) => ({ ...wire, percent_change: Math.round((wire.delta / wire.previous) * 1000) / 10 }),
    }),
  },
  {
    group,
    name: 'period_days of the items is always 3',
    forms: variantSpikes({ show: (wire) => ({ ...wire, period_days: 3 }) }),
  },
  { group, name: 'tiktok is left out', forms: variantSpikes({ show: (wire) => without(wire, 'tiktok') }) },
  {
    group,
    name: 'window.from is a day late',
    forms: currentSpikes((wire) => ({ ...wire, window: { ...wire.window, from: addDays(wire.window.from, 1) } })),
  },
  {
    group,
    name: 'pline is the label that was detected',
    forms: signings.variant((wire) => ({
      ...wire,
      label_songs: wire.label_songs.map((song) => ({ ...song, pline: song.label_detected })),
    })),
  },
  {
    group,
    name: 'label_songs are in reverse order',
    forms: signings.variant((wire) => ({ ...wire, label_songs: wire.label_songs.toReversed() })),
  },
  {
    group,
    name: 'total_label_songs is left at 1',
    forms: signings.variant((wire) => ({ ...wire, total_label_songs: Math.min(1, wire.total_label_songs) })),
  },
  {
    group,
    name: 'labels_tracked come as they are stored',
    forms: signings.variant(
      (wire) => wire,
      (envelope) => {
        const meta = Object(envelope['_meta']);
        return { ...envelope, _meta: { ...meta, labels_tracked: meta.labels_tracked.toReversed() } };
      },
    ),
  },
  {
    group,
    name: 'basis forgets the reviewed status',
    forms: signings.current((wire) => ({ ...wire, basis: wire.basis.filter((basis) => basis !== 'reviewed_status') })),
  },
  {
    group,
    name: 'the engine is not named',
    forms: currentSpikes((wire) => without(wire, 'engine')),
  },
];
