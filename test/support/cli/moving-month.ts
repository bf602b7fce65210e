import { randomUUID } from 'node:crypto';
import { formNames } from '../../../adapters/forms/forms.ts';
import { createEmbeddedQuotas } from '../../../adapters/stores/embedded/quotas.ts';
import { createMongoCatalogue } from '../../../adapters/stores/mongodb/catalogue.ts';
import { createMongoHistory } from '../../../adapters/stores/mongodb/histories.ts';
import { createMongoKeys } from '../../../adapters/stores/mongodb/keys.ts';
import { createMongoUsage } from '../../../adapters/stores/mongodb/usage.ts';
import { dayOf } from '../../../src/domain/day.ts';
import { createUsageCounter } from '../../../src/usage/counter.ts';
import { createUsageFlusher } from '../../../src/usage/flusher.ts';
import { createManualClock } from '../clock.ts';
import { createTestGateway } from '../gateway.ts';
import { createMemoryLog } from '../log.ts';
import { artistDocuments } from './input-folder.ts';
import { createOperatorEnvironment } from './operator-environment.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

/** Number of artists at the start; one more is added each day. */
const firstArtists = 104;
const days = 30;

/**
 * Opens a gateway over the operator's database, whose own clock starts 30 days before the last
 * midnight.
 */
export const startMonth = async () => {
  const operator = await createOperatorEnvironment();
  await operator.done('organizations', 'set', 'acme', '--name', 'Acme Music');
  const [partner, dashboard] = [
    await operator.issue('variant', '--reason', 'contract 2026/14'),
    await operator.issue('current', '--partner', 'Acme Board', '--reason', 'contract 2026/14'),
  ];
  const midnight = Math.floor(Date.now() / dayMs) * dayMs;
  const clock = createManualClock(new Date(midnight - days * dayMs).toISOString());
  const log = createMemoryLog();
  const catalogue = createMongoCatalogue(operator.db);
  const histories = createMongoHistory(operator.db, { timeoutMs: 1_000, log });
  const counter = createUsageCounter({ clock, instance: randomUUID() });
  const store = createMongoUsage(operator.db);
  const { flush } = createUsageFlusher({ counter, store, intervalMs: 15_000, clock, log });
  const documents = artistDocuments(firstArtists + days);
  const addArtists = (from: number, to: number): Promise<unknown> =>
    operator.collection('artists').insertMany(
      documents.slice(from, to).map((document) => ({
        ...document,
        _id: String(document['_id']),
        date_added: dayOf(clock.now()),
        updated_at: new Date(clock.now()),
      })),
    );
  await addArtists(0, firstArtists);
  const gateway = await createTestGateway({
    clock,
    source: { load: () => catalogue.load(), read: (artist) => histories.read(artist) },
    keys: createMongoKeys(operator.db, formNames),
    quotas: createEmbeddedQuotas(clock),
    usage: counter,
    log,
  });
  const follow = () =>
    Promise.all([gateway.gateway.keys.refresh(), gateway.gateway.catalogue.refresh()]);
  let artists = firstArtists;
  return {
    operator,
    gateway,
    /**
     * The partner's key of the variant form, and a key of the same organization of the current
     * form.
     */
    partner,
    dashboard,
    /** Advances the clock, then refreshes the gateway's sources. */
    async pass(ms: number): Promise<void> {
      const before = dayOf(clock.now());
      clock.advance(ms);
      if (dayOf(clock.now()) !== before && artists < documents.length)
        await addArtists(artists, ++artists);
      await follow();
    },
    /** Writes the counted usage. */
    flush,
    async stop(): Promise<void> {
      await gateway.close();
      await operator.stop();
    },
  };
};

export type Month = Awaited<ReturnType<typeof startMonth>>;

const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const documentId = (number: number): string => `doc${String(number).padStart(4, '0')}`;

/**
 * The partner's requests at night: the whole list, and its favourites one by one without a pause.
 */
const nightly = async (ask: (path: string) => Promise<unknown>, month: Month): Promise<void> => {
  await ask('artists?limit=200&fields=basic');
  for (const number of times(14)) await ask(`artists?id=${documentId(number)}`);
  await month.pass(minuteMs);
  for (const number of times(9)) await ask(`artists?id=${documentId(50 + number)}`);
  await ask('artists?id=doc9999');
  await month.pass(hourMs - minuteMs);
};

/** The day on which the partner's client repeats a request in a loop. */
const badDay = 26;
const loopRequests = 120;

const runLoop = async (ask: (path: string) => Promise<unknown>, month: Month): Promise<void> => {
  for (const request of times(loopRequests)) {
    await ask('artists?tier=everything');
    if (request % 10 === 0) await month.pass(minuteMs);
  }
  await month.pass(hourMs - (loopRequests / 10) * minuteMs);
};

/**
 * One day of the partner: a poll every hour, a list at night, spikes at nine, signings once a week.
 */
const liveDay = async (month: Month, day: number): Promise<void> => {
  const { gateway, partner, dashboard } = month;
  const ask = (path: string) => gateway.get(`/api/v1/${path}`, partner.text);
  for (const hour of times(24).map((number) => number - 1)) {
    await ask('artists?new=1');
    if (hour === 3) await gateway.get('/api/v1/artists?limit=100', dashboard.text);
    if (hour === 9) await ask('spikes?days=45');
    if (hour === 12 && day % 7 === 0) await ask('signings?verbose=1');
    if (hour === 3) await nightly(ask, month);
    else if (hour === 15 && day === badDay) await runLoop(ask, month);
    else await month.pass(hourMs);
  }
  await month.flush();
};

/** Plays the whole month, until the last midnight. */
export const liveMonth = async (month: Month): Promise<void> => {
  for (const day of times(days)) await liveDay(month, day);
};
