import { expect } from 'chai';
import type { DayTotal, HourTotal } from '../../src/domain/usage.ts';
import type { UsageStore } from '../../src/ports.ts';
import type { UsageReader } from '../../tools/operator/usage.ts';
import { useStarted } from '../support/cleanup.ts';

/** A store of usage under test, and what an operator reads of it. */
export interface UsageUnderTest {
  readonly store: UsageStore;
  readonly reader: UsageReader;
  close(): Promise<void>;
}

const noon = Date.parse('2026-08-22T12:00:00Z');
const minuteMs = 60_000;

export const dayTotal = (given: Partial<DayTotal> = {}): DayTotal => ({
  id: 'one:1',
  day: '2026-08-22',
  keyId: 'key1',
  organizationId: 'acme',
  form: 'variant',
  route: '/api/v1/artists',
  status: 200,
  requests: 3,
  uses: { new: 2, 'fields=basic': 1, 'limit>100': 1 },
  lastAt: noon,
  ...given,
});

export const hourTotal = (
  minutes: Record<number, readonly [number, number]>,
  given: Partial<HourTotal> = {},
): HourTotal => {
  const counted = Object.entries(minutes).map(
    ([minute, [requests, refused]]) => [Number(minute), { requests, refused }] as const,
  );
  const requests = counted.reduce((sum, [, minute]) => sum + minute.requests, 0);
  return {
    id: 'one:2',
    keyId: 'key1',
    organizationId: 'acme',
    hour: noon,
    requests,
    minutes: new Map(counted),
    ...given,
  };
};

/** Describes what every store of usage must do. */
export const describeUsageStore = (name: string, open: () => Promise<UsageUnderTest>): void => {
  describe(`usage store: ${name}`, () => {
    const usage = useStarted(open, ({ close }) => close(), true);

    const writeDays = (...days: DayTotal[]) => usage.store.write({ days, hours: [] });
    const writeHours = (...hours: HourTotal[]) => usage.store.write({ days: [], hours });
    const counted = ({ id: _id, ...count }: DayTotal) => count;

    it('is read as it was written, also without a route', async () => {
      const nowhere = dayTotal({ id: 'one:2', route: undefined, status: 404, uses: {} });
      await writeDays(dayTotal(), nowhere);
      expect(await usage.reader.loadDays('2026-08-22')).to.have.deep.members([
        counted(dayTotal()),
        counted(nowhere),
      ]);
    });

    it('replaces a lower total, and may be written repeatedly', async () => {
      await writeDays(dayTotal({ requests: 1 }));
      await writeDays(dayTotal());
      await writeDays(dayTotal());
      expect(await usage.reader.loadDays('2026-08-22')).to.deep.equal([counted(dayTotal())]);
    });

    it('never replaces a higher total, even when the server executes an abandoned write late', async () => {
      await writeDays(dayTotal());
      await writeDays(dayTotal({ requests: 1 })).catch(() => {}); // a store may also reject it
      expect(await usage.reader.loadDays('2026-08-22')).to.deep.equal([counted(dayTotal())]);
    });

    it('is summed over processes', async () => {
      const two = dayTotal({
        id: 'two:1',
        requests: 4,
        uses: { new: 1, signed: 2 },
        lastAt: noon + 5,
      });
      await writeDays(dayTotal(), two, dayTotal({ id: 'two:2', status: 429, uses: {} }));
      expect(await usage.reader.loadDays('2026-08-22')).to.have.deep.members([
        counted(
          dayTotal({
            requests: 7,
            uses: { new: 3, 'fields=basic': 1, 'limit>100': 1, signed: 2 },
            lastAt: noon + 5,
          }),
        ),
        counted(dayTotal({ status: 429, uses: {} })),
      ]);
    });

    it('is read from a day on in order, of one organization or of all', async () => {
      const days = [
        dayTotal({ id: 'one:1', day: '2026-08-23' }),
        dayTotal({ id: 'one:2', day: '2026-08-22', organizationId: 'other' }),
        dayTotal({ id: 'one:3', day: '2026-08-21' }),
      ];
      await writeDays(...days);
      const read = async (...asked: [string, string?]) =>
        (await usage.reader.loadDays(...asked)).map(({ day }) => day);
      expect(await read('2026-08-21')).to.deep.equal(['2026-08-21', '2026-08-22', '2026-08-23']);
      expect(await read('2026-08-22')).to.deep.equal(['2026-08-22', '2026-08-23']);
      expect(await read('2026-08-21', 'acme')).to.deep.equal(['2026-08-21', '2026-08-23']);
    });

    it('is summed by the minute, from an instant on, in order', async () => {
      await writeHours(
        hourTotal({ 0: [2, 0], 30: [12, 2] }),
        hourTotal({ 30: [3, 1], 59: [1, 0] }, { id: 'two:1' }),
        hourTotal({ 30: [5, 5] }, { id: 'two:2', keyId: 'key2' }),
        hourTotal({ 5: [1, 0] }, { id: 'two:3', hour: noon - 60 * minuteMs }),
        hourTotal({ 30: [9, 9] }, { id: 'two:4', organizationId: 'other' }),
      );
      const at = (minute: number, requests: number, refused: number, keyId = 'key1') => ({
        keyId,
        organizationId: 'acme',
        minute: noon + minute * minuteMs,
        requests,
        refused,
      });
      const later = [at(30, 15, 3), at(30, 5, 5, 'key2'), at(59, 1, 0)];
      expect(await usage.reader.loadMinutes('acme', noon + minuteMs)).to.deep.equal(later);
      expect(await usage.reader.loadMinutes('acme', 0)).to.deep.equal([
        at(-55, 1, 0),
        at(0, 2, 0),
        ...later,
      ]);
    });
  });
};
