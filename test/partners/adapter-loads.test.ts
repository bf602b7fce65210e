import { expect } from 'chai';
import {
  createRemoteCatalogue,
  type RemoteReply,
} from '../../partners/gateway/remote-catalogue.ts';
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts';
import { catchError } from '../support/catch-error.ts';
import { createManualClock } from '../support/clock.ts';

const pageSize = 100;

/**
 * A service with so many artists and a quota of 10 requests a minute and 1,000 a day, whose data
 * change whenever `change` is called.
 */
const openService = (artists: number) => {
  const clock = createManualClock('2026-08-22T00:00:00.000Z');
  let tag = 1;
  let isAway = false;
  const used = { minute: 0, day: 0, minuteOf: -1, dayOf: -1 };
  const paths: string[] = [];
  const meta = () => ({ generated_at: new Date(clock.now()).toISOString(), next_cursor: null });
  const itemsFrom = (start: number) =>
    Array.from({ length: Math.min(pageSize, artists - start) }, (_, index) => ({
      ...{ id: `art_${start + index}`, name: 'A', status: {}, signing: {}, links: {}, metrics: {} },
      ...{ songs: [], freshness: {}, provenance: {}, data_quality: {} },
    }));
  const answer = (path: string): unknown => {
    if (!path.startsWith('/api/v1/artists')) return { data: [], meta: meta() };
    const start = Number(/cursor=(\d+)/.exec(path)?.[1] ?? 0);
    const next = start + pageSize < artists ? String(start + pageSize) : null;
    return { data: itemsFrom(start), meta: { ...meta(), next_cursor: next } };
  };
  const windowNow = () => {
    const [minute, day] = [Math.floor(clock.now() / minuteMs), Math.floor(clock.now() / dayMs)];
    if (used.minuteOf !== minute) Object.assign(used, { minuteOf: minute, minute: 0 });
    if (used.dayOf !== day) Object.assign(used, { dayOf: day, day: 0 });
    return { minute, day };
  };
  const ask = async (path: string): Promise<RemoteReply> => {
    if (isAway) return { status: 0, code: '', message: 'No answer.', body: undefined };
    if (path === '/api/v1/health')
      return { status: 200, code: '', message: '', tag: `W/"${tag}"`, body: meta() };
    windowNow();
    paths.push(path);
    used.minute += 1;
    used.day += 1;
    expect(used.minute, 'requests in a minute').to.be.at.most(10);
    expect(used.day, 'requests in a day').to.be.at.most(500);
    return { status: 200, code: '', message: '', body: answer(path) };
  };
  const progress: number[] = [];
  const catalogue = createRemoteCatalogue({
    remote: {
      ask,
      sleep: async (seconds) => clock.advance(seconds * 1_000),
      quota() {
        const { minute, day } = windowNow();
        return {
          minute: {
            limit: 10,
            remaining: 10 - used.minute,
            reset: new Date((minute + 1) * minuteMs),
          },
          day: { limit: 1_000, remaining: 1_000 - used.day, reset: new Date((day + 1) * dayMs) },
        };
      },
    },
    documentIds: new Map(),
    labels: [],
    clock,
    progress: (read) => progress.push(read),
  });
  return {
    clock,
    paths,
    progress,
    catalogue,
    load: () => catalogue.source.load(),
    setAway(away: boolean) {
      isAway = away;
    },
    change() {
      tag += 1;
    },
    /** Lets a day pass, with a look at health every minute. */
    async passDay(isChanging: boolean): Promise<number> {
      const before = paths.length;
      for (const end = clock.now() + dayMs - minuteMs; clock.now() < end; ) {
        if (isChanging) tag += 1;
        await catalogue.source.load();
        clock.advance(minuteMs);
      }
      return paths.length - before;
    },
  };
};

describe('the loads of the adapter', () => {
  for (const [artists, quiet, busy] of [
    [558, 64, 496],
    [10_000, 408, 408],
  ] as const) {
    it(`cost ${quiet} requests on a quiet day with ${artists} artists, and at most ${busy} if the data always change`, async () => {
      expect(await openService(artists).passDay(false)).to.equal(quiet);
      expect(await openService(artists).passDay(true)).to.be.within(busy - 32, busy);
    }).timeout(60_000);
  }

  it('take ten minutes within the quota for 10,000 artists, and report each page', async () => {
    const { load, clock, progress, paths } = openService(10_000);
    const { artists } = await load();
    expect(artists).to.have.length(10_000);
    expect([paths.length, progress.length, progress.at(-1)]).to.deep.equal([102, 100, 10_000]);
    expect(clock.elapsed() / minuteMs).to.be.within(10, 11);
  });

  it('go on after the pages that were read, if the service was away in between', async () => {
    const { load, setAway, paths, progress, change } = openService(1_500);
    const stop = progress.push.bind(progress);
    progress.push = (read) => {
      setAway(read === 500 && paths.length === 5);
      return stop(read);
    };
    expect(String(await catchError(load))).to.include('No answer.');
    setAway(false);
    await load();
    expect(paths.filter((path) => path.startsWith('/api/v1/artists'))).to.have.length(15);
    change();
    await load();
    expect(paths.filter((path) => path.startsWith('/api/v1/artists'))).to.have.length(30);
  });

  it('read the spikes of the windows that programs request, for a day', async () => {
    const { load, catalogue, clock, paths, change } = openService(1);
    const spikesSince = async (ms: number) => {
      clock.advance(ms);
      change();
      const before = paths.length;
      await load();
      return paths.slice(before).filter((path) => path.includes('spikes'));
    };
    await load();
    await catalogue.spikes([], 7, '2026-08-22');
    const both = ['/api/v1/spikes?days=3', '/api/v1/spikes?days=7'];
    expect(await spikesSince(hourMs)).to.deep.equal(both);
    expect(await spikesSince(dayMs)).to.deep.equal(both.slice(0, 1));
  });
});
