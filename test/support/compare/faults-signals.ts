import { addDays } from '../../../src/domain/day.ts';
import {
  currentSignings,
  currentSpikes,
  presenterFaultsOf,
  variantSignings,
  variantSpikes,
  without,
} from './faulty.ts';

/** Faults in how both forms present spikes and signings. */
export const signalFaults = presenterFaultsOf({
  'previous and current are swapped': [
    'spike.previous',
    variantSpikes({ show: (wire) => ({ ...wire, previous: wire.current, current: wire.previous }) }),
  ],
  'percent_change is computed again, with one decimal': [
    'spike.percent_change',
    variantSpikes({
      show: (wire) => ({ ...wire, percent_change: Math.round((wire.delta / wire.previous) * 1000) / 10 }),
    }),
  ],
  'period_days of the items is always 3': [
    'spike.window.days',
    variantSpikes({ show: (wire) => ({ ...wire, period_days: 3 }) }),
  ],
  'tiktok is left out': ['spike.links.tiktok', variantSpikes({ show: (wire) => without(wire, 'tiktok') })],
  'window.from is a day late': [
    'spike.window.from',
    currentSpikes({
      show: (wire) => ({ ...wire, window: { ...wire.window, from: addDays(wire.window.from, 1) } }),
    }),
  ],
  'pline is the label that was detected': [
    'signing.label_songs[].p_line',
    variantSignings({
      show: (wire) => ({
        ...wire,
        label_songs: wire.label_songs.map((song) => ({ ...song, pline: song.label_detected })),
      }),
    }),
  ],
  'label_songs are in reverse order': [
    'signing.label_songs[].song_name',
    variantSignings({ show: (wire) => ({ ...wire, label_songs: wire.label_songs.toReversed() }) }),
  ],
  'total_label_songs is left at 1': [
    'signing.total_label_songs',
    variantSignings({ show: (wire) => ({ ...wire, total_label_songs: Math.min(1, wire.total_label_songs) }) }),
  ],
  'labels_tracked come as they are stored': [
    'envelope._meta.labels_tracked[]',
    variantSignings({
      around: (envelope) => {
        const meta = Object(envelope['_meta']);
        return { ...envelope, _meta: { ...meta, labels_tracked: meta.labels_tracked.toReversed() } };
      },
    }),
  ],
  'basis forgets the reviewed status': [
    'signing.basis[]',
    currentSignings({
      show: (wire) => ({ ...wire, basis: wire.basis.filter((basis) => basis !== 'reviewed_status') }),
    }),
  ],
  'the engine is not named': ['spike.engine.name', currentSpikes({ show: (wire) => without(wire, 'engine') })],
});
