import type { Day } from '../../src/domain/day.ts';
import { groupBy } from '../../src/domain/groups.ts';
import { sum } from '../../src/domain/quantities.ts';
import { isCall, otherCalls, type UsageCount } from '../../src/domain/usage.ts';
import { sumOccurrences } from '../migration/evidence.ts';
import { type Change, fieldName } from './changes.ts';

/** The effects of a change on a key, the worst first. `may break` is a guess: usage does not show it. */
const effects = ['breaks', 'may break', 'not used'] as const;
type Effect = (typeof effects)[number];

/** A key with its usage in the form of the contract. */
export interface ContractClient {
  readonly key: string;
  readonly counts: readonly UsageCount[];
  /** The fields that its program reads, `artists.songs.name`; `undefined` if unknown. */
  readonly reads?: ReadonlySet<string> | undefined;
}

/** The effect of a change on a key, with its evidence. */
export interface AffectedKey {
  readonly key: string;
  readonly effect: Effect;
  /** Requests that use the changed part, or could use it. */
  readonly requests: number;
  readonly last_day: Day | undefined;
  readonly because: string;
}

/** A breaking change at all its places, and its effect on each key; the keys that break first. */
export interface AffectedKeys {
  readonly changes: readonly [Change, ...Change[]];
  readonly keys: readonly AffectedKey[];
}

type Finding = readonly [effect: Effect, because: string, found: readonly UsageCount[]];

const unused = (because: string): Finding => ['not used', because, []];

/** Requests that sent a parameter: usage counts it once, as `limit`, `fields=basic` or `limit>100`. */
const countSent = ({ uses }: UsageCount, parameter: string): number => {
  const isSent = new RegExp(`^${parameter}(?=$|[=>])`);
  return sum(Object.entries(uses).map(([use, times]) => (isSent.test(use) ? times : 0)));
};

/** True if a parameter rejects a value; `undefined` if usage does not show the value. */
const rejects = ({ keyword }: Change, value: string): boolean | undefined => {
  const number = Number(value.replace('>', ''));
  if (value === '*') return undefined;
  if (keyword?.name === 'maximum') return number > Number(keyword.value);
  if (keyword?.name === 'minimum') return number < Number(keyword.value);
  return Array.isArray(keyword?.value) ? !keyword.value.includes(value) : undefined;
};

/** Judges the values of a parameter by the calls that usage names with their query. */
const judgeValues = (change: Change, sent: readonly UsageCount[]): Finding => {
  const { parameter = '' } = change;
  const judged = sent.map((count) => {
    const named = Object.keys(count.uses).filter((use) => isCall(use) && use !== otherCalls);
    const unnamed = count.requests - sum(named.map((use) => count.uses[use] ?? 0));
    const values = named.flatMap((use) => new URLSearchParams(use).getAll(parameter));
    const rejected = values.find((value) => rejects(change, value));
    const isClear = unnamed === 0 && values.every((value) => rejects(change, value) === false);
    return { count, rejected, isClear };
  });
  const broken = judged.filter(({ rejected }) => rejected !== undefined);
  if (broken[0] !== undefined)
    return ['breaks', `sends ${parameter}=${broken[0].rejected}`, broken.map(({ count }) => count)];
  return judged.every(({ isClear }) => isClear)
    ? unused(`sends other values of ${parameter}`)
    : ['may break', `sends ${parameter}, values unknown`, sent];
};

const judgeParameter = (change: Change, calls: readonly UsageCount[]): Finding => {
  const { parameter = '', what, keyword } = change;
  if (/^(was added|became required)|^default /.test(what)) {
    const without = calls.filter((count) => count.requests > countSent(count, parameter));
    return without.length > 0
      ? ['breaks', `sends no ${parameter}`, without]
      : unused(`always sends ${parameter}`);
  }
  const sent = calls.filter((count) => countSent(count, parameter) > 0);
  if (sent.length === 0) return unused(`sends no ${parameter}`);
  return keyword === undefined ? ['breaks', `sends ${parameter}`, sent] : judgeValues(change, sent);
};

const judgeField = (
  change: Change,
  reads: ContractClient['reads'],
  got: readonly UsageCount[],
): Finding => {
  const name = fieldName(change);
  if (reads === undefined) return ['may break', 'fields unknown', got];
  return [...reads].some((read) => read === name || read.startsWith(`${name}.`))
    ? ['breaks', `reads ${name}`, got]
    : unused(`does not read ${name}`);
};

const judge = (change: Change, { counts, reads }: ContractClient): Finding => {
  const { path, parameter, status, header, field, what } = change;
  const calls = counts.filter(
    ({ route }) => path === undefined || route?.replaceAll(/:(\w+)/g, '{$1}') === path,
  );
  if (calls.length === 0) return unused('no call');
  if (parameter !== undefined) return judgeParameter(change, calls);
  if (status === undefined)
    return what === 'was removed' && path !== undefined
      ? ['breaks', 'calls it', calls]
      : ['may break', 'generated code is unknown', calls];
  if (header === undefined && field === undefined && what.startsWith('was added'))
    return ['may break', `calls it, has not got ${status}`, calls];
  // 304 stands for the body of a 200 that the client has
  const got = calls.filter(
    (one) => one.status === status || (status === 200 && one.status === 304),
  );
  if (got.length === 0) return unused(`got no ${status}`);
  if (field !== undefined) return judgeField(change, reads, got);
  return header === undefined
    ? ['breaks', `got ${status}`, got]
    : ['may break', 'headers unknown', got];
};

const rank = (effect: Effect): number => effects.indexOf(effect);

/** The worst effect of a change at all its places on a key. */
const affect = (changes: AffectedKeys['changes'], client: ContractClient): AffectedKey => {
  const findings = changes.map((change) => judge(change, client));
  const [[effect, because] = unused('no call')] = findings.toSorted(
    ([one], [other]) => rank(one) - rank(other),
  );
  const found = findings.flatMap(([one, , counts]) => (one === effect ? counts : []));
  return { key: client.key, effect, because, ...sumOccurrences([...new Set(found)]) };
};

/** What a change says, and of what: the same for a field of an object in several responses. */
const sameChange = ({ what, parameter, status, header, field, path }: Change): string =>
  JSON.stringify(
    field === undefined && header === undefined && parameter === undefined
      ? [what, path, status]
      : [what, parameter, header, field?.replace(/^data(\[\])?\.?/, '')],
  );

/**
 * Lists the keys that each breaking change of a contract affects, by their usage in its form. Changes
 * that break most keys come first. Compatible changes are left out.
 */
export const findAffectedKeys = (
  changes: readonly Change[],
  clients: readonly ContractClient[],
): readonly AffectedKeys[] => {
  const breaking = groupBy(
    changes.filter(({ breaks }) => breaks),
    sameChange,
  );
  const count = ({ keys }: AffectedKeys, effect: Effect): number =>
    keys.filter((key) => key.effect === effect).length;
  return [...breaking.values()]
    .map((same) => ({
      changes: same,
      keys: clients
        .map((client) => affect(same, client))
        .sort(
          (one, other) => rank(one.effect) - rank(other.effect) || other.requests - one.requests,
        ),
    }))
    .sort(
      (one, other) =>
        count(other, 'breaks') - count(one, 'breaks') ||
        count(other, 'may break') - count(one, 'may break'),
    );
};
