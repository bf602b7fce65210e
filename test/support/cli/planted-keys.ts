import { forms } from '../../../adapters/forms/forms.ts';
import {
  keyMembers,
  organizationMembers,
} from '../../../adapters/stores/documents/key-documents.ts';
import {
  dayDocument,
  hourDocument,
  readHour,
} from '../../../adapters/stores/documents/usage-documents.ts';
import type { KeyRecord } from '../../../src/domain/caller.ts';
import { addDays, dayOf } from '../../../src/domain/day.ts';
import type { DayTotal, HourTotal } from '../../../src/domain/usage.ts';
import { createAllowances } from '../../../tools/migration/allowances.ts';
import { assessMove } from '../../../tools/migration/assess.ts';
import { assessStatus } from '../../../tools/migration/status.ts';
import { buildKey, buildOrganization } from '../builders.ts';
import type { OperatorEnvironment } from './operator-environment.ts';

const [hourMs, dayMs] = [3_600_000, 86_400_000];

/** The kinds of partners that planted keys have in turn. */
export const partnerKinds = ['moved in trials', 'polls', 'bursts', 'silent'] as const;

type PartnerKind = (typeof partnerKinds)[number];

const partnerNames = [
  'Northlight Radio',
  'Harbour, Pike & Co',
  'Cinder Sync',
  'Meridian Live',
  'Tall Pines Music',
];

const partnerName = (number: number): string => {
  const [name = '', round] = [
    partnerNames[number % partnerNames.length],
    Math.floor(number / partnerNames.length),
  ];
  return round === 0 ? name : `${name} ${round + 1}`;
};

const days = 30;
const hoursKept = 8 * 24;

/** Requests of one key on one day, as one gateway has counted them. */
const dayTotals = (
  key: KeyRecord,
  kind: PartnerKind,
  day: string,
  age: number,
  gateway: number,
): DayTotal[] => {
  const total = (given: Partial<DayTotal>): DayTotal => ({
    ...{
      day,
      keyId: key.id,
      organizationId: key.organizationId,
      form: 'variant',
      route: '/api/v1/artists',
    },
    ...{
      status: 200,
      requests: 12 + gateway,
      uses: {},
      lastAt: Date.parse(day) + 60_000 * (gateway + 1),
    },
    ...given,
    id: `${gateway}:${key.id}:${day}:${given.form ?? ''}${given.route ?? ''}${given.status ?? ''}`,
  });
  if (kind === 'silent') return [];
  if (kind === 'moved in trials') return [total({ form: 'current', requests: 20 })];
  const polls = [
    total({ requests: 24 + (days - age), uses: { new: 20, 'fields=basic': 4 } }),
    total({ route: '/api/v1/spikes', requests: 4 + Number(key.id.at(-1)), uses: { days: 4 } }),
    total({ status: 429, requests: 1 + (age % 3) }),
    total({ status: 404, requests: 1 }),
  ];
  if (kind === 'polls')
    return age > 10 ? polls : [...polls, total({ form: 'current', requests: 9 })];
  return [...polls, total({ route: '/api/v1/signings', requests: 80 })];
};

/** Requests of one key in one hour by minute: spread, or all in one. */
const hourTotal = (key: KeyRecord, kind: PartnerKind, hour: number): HourTotal[] => {
  if (kind === 'silent') return [];
  const minutes =
    kind === 'bursts' ? [[17, 40] as const] : [3, 18, 33, 48].map((minute) => [minute, 1] as const);
  return [
    {
      ...{ id: `hour:${key.id}:${hour}`, keyId: key.id, organizationId: key.organizationId, hour },
      requests: minutes.reduce((sum, [, requests]) => sum + requests, 0),
      minutes: new Map(
        minutes.map(([minute, requests]) => [minute, { requests, refused: requests > 30 ? 1 : 0 }]),
      ),
    },
  ];
};

/**
 * A month of `partners` partners of the four kinds, an organization each, counted by two gateways;
 * and beside them a revoked, an expired and a current key with calls. `now` is in epoch
 * milliseconds.
 */
export const plantKeys = (partners: number, now: number) => {
  const key = (number: number, given: Partial<KeyRecord> = {}): KeyRecord => {
    const [id, organizationId] = [`fleet${String(number).padStart(3, '0')}`, `org${number}`];
    return buildKey({ id, organizationId, partner: partnerName(number), form: 'variant', ...given })
      .record;
  };
  const kindOf = (number: number): PartnerKind =>
    partnerKinds[number % partnerKinds.length] ?? 'polls';
  const numbers = Array.from({ length: partners }, (_, index) => index);
  const sunsetOf = (number: number) =>
    number % 7 === 0 ? { sunset: addDays(dayOf(now), (2 + 2 * number) % 60) } : {};
  const pinned = numbers.map((number) => key(number, sunsetOf(number)));
  const others = [
    key(partners, { organizationId: 'org1', revokedAt: now - dayMs }),
    key(partners + 1, { organizationId: 'org1', expiresAt: now - dayMs }),
    key(partners + 2, { form: 'current' }),
  ];
  const kinds = new Map(pinned.map(({ id }, index) => [id, kindOf(index)]));
  const keys = [...pinned, ...others];
  const ages = Array.from({ length: days }, (_, age) => age);
  const lastHour = Math.floor(now / hourMs) * hourMs;
  const hours = Array.from({ length: hoursKept }, (_, index) => lastHour - index * hourMs);
  const kindOfKey = ({ id, form }: KeyRecord): PartnerKind =>
    kinds.get(id) ?? (form === 'current' ? 'moved in trials' : 'polls');
  return {
    keys,
    organizations: [...new Set(keys.map(({ organizationId }) => organizationId))].map((id) =>
      buildOrganization({
        id,
        name: `Organization of ${id}`,
        perMinute: undefined,
        perDay: undefined,
      }),
    ),
    usage: {
      days: keys.flatMap((one) =>
        ages.flatMap((age) =>
          [0, 1].flatMap((gateway) =>
            dayTotals(one, kindOfKey(one), addDays(dayOf(now), -age), age, gateway),
          ),
        ),
      ),
      hours: keys.flatMap((one) => hours.flatMap((hour) => hourTotal(one, kindOfKey(one), hour))),
    },
    /** By the id of a pinned and active key. */
    kinds,
  };
};

type PlantedKeys = ReturnType<typeof plantKeys>;

/** Stores the planted keys in the operator's database. */
export const storePlanted = async (
  { collection }: Pick<OperatorEnvironment, 'collection'>,
  { keys, organizations, usage }: PlantedKeys,
): Promise<void> => {
  const stored: Readonly<Record<string, readonly { readonly _id: string }[]>> = {
    organizations: organizations.map((one) => ({ _id: one.id, ...organizationMembers(one) })),
    api_keys: keys.map((one) => ({ _id: one.id, hash: one.hash, ...keyMembers(one) })),
    usage: usage.days.map((total) => ({ _id: total.id, ...dayDocument(total) })),
    usage_minutes: usage.hours.map((total) => ({ _id: total.id, ...hourDocument(total) })),
  };
  for (const [name, documents] of Object.entries(stored))
    await collection(name).insertMany([...documents]);
};

const factsOf = ({ usage }: PlantedKeys) => ({
  ...{ forms, days, artists: 150, counts: usage.days, allowances: createAllowances(forms) },
  minutes: usage.hours
    .flatMap((total) => readHour({ _id: total.id, ...hourDocument(total) }))
    .sort((left, right) => left.minute - right.minute),
});

/** The report on the planted keys, as `migration status` makes it of the stored keys. */
export const assessPlanted = (planted: PlantedKeys, now: number) =>
  assessStatus({ ...planted, ...factsOf(planted), now });

/** The move of one planted key, with its organization and report. */
export const assessPlantedKey = (planted: PlantedKeys, id: string, now: number) => {
  const key = planted.keys.find((one) => one.id === id);
  const organization = planted.organizations.find((one) => one.id === key?.organizationId);
  if (key === undefined || organization === undefined) throw new Error(`No planted key ${id}.`);
  const move = assessMove({ ...factsOf(planted), organization, keys: [key], now });
  const [report] = move.keys;
  if (report === undefined) throw new Error(`No report of ${id}.`);
  return { key, report, move };
};
