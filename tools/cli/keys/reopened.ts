import { z } from 'zod';
import { groupBy } from '../../../src/domain/groups.ts';
import { inactiveReason } from '../../../src/keys/key-policy.ts';
import { writtenChanges } from '../../operator/audit-log.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readJsonFile } from '../option-parsers.ts';
import { unreadablePolicies } from '../policy.ts';
import type { KeyRegistry } from '../resolve-subject.ts';
import { withShowOptions } from '../shared-options.ts';
import { note, UsageError } from '../terminal/messages.ts';
import { quotedWord } from '../terminal/shell-word.ts';
import { type Column, printListing } from '../terminal/table.ts';
import {
  compareKey,
  compareOrganization,
  creationOf,
  restoring,
  type SavedMembers,
} from './saved-settings.ts';

const members = z.record(z.string(), z.unknown()).optional();

/** Rows of `keys log --json`; other members are ignored. */
const savedLog = z.array(
  z.object({
    at: z.string().optional(),
    action: z.string().optional(),
    key_id: z.string().optional(),
    organization_id: z.string().optional(),
    reason: z.string().optional(),
    before: members,
    after: members,
  }),
);

type SavedRow = z.output<typeof savedLog>[number];

/** What the saved log says of the access of a key or an organization. */
interface SavedAccess extends SavedMembers {
  readonly kind: 'key' | 'organization';
  /** The record that ended it; `undefined` while it has access. */
  readonly ended: SavedRow | undefined;
  /** When it expires, in epoch milliseconds; `undefined` when the log has no expiry. */
  readonly expiresAt: number | undefined;
}

const has = (members: SavedRow['after'], name: string): boolean =>
  members?.[name] !== undefined && members[name] !== null;

const nameOf = ({ kind, id }: Pick<SavedAccess, 'kind' | 'id'>): string => `${kind} ${id}`;

/** The members after a change: those that only were there before have no value any more. */
const changeMembers = (
  members: SavedAccess['members'],
  { before = {}, after = {} }: SavedRow,
): SavedAccess['members'] => ({
  ...members,
  ...Object.fromEntries(Object.keys(before).map((name) => [name, undefined])),
  ...after,
});

/** The access after a change. */
const follow = (access: SavedAccess, row: SavedRow): SavedAccess => {
  const { before, after } = row;
  const end = access.kind === 'key' ? 'revoked_at' : 'suspended_at';
  const ended = has(after, end) ? row : has(before, end) ? undefined : access.ended;
  const expiry = after?.['expires_at'];
  const isExpirySet = expiry !== undefined || has(before, 'expires_at');
  return {
    ...access,
    isIssued: access.isIssued || (after !== undefined && before === undefined),
    ended,
    members: changeMembers(access.members, row),
    expiresAt: isExpirySet ? Date.parse(String(expiry ?? '')) || undefined : access.expiresAt,
  };
};

interface SavedState {
  /** The access of each key and organization that the log has, after its last record. */
  readonly accesses: readonly SavedAccess[];
  /** When the last record was written, in epoch milliseconds. */
  readonly until: number;
}

const readState = (rows: readonly SavedRow[]): SavedState => {
  const about = rows.flatMap((row) => {
    const kind: SavedAccess['kind'] = row.key_id === undefined ? 'organization' : 'key';
    const id = row.key_id ?? row.organization_id;
    return id === undefined ? [] : [{ kind, id, row }];
  });
  return {
    accesses: [...groupBy(about, nameOf).values()].flatMap((same) => {
      const [{ kind, id }] = same;
      const unknown = { isIssued: false, ended: undefined, expiresAt: undefined, members: {} };
      const written = writtenChanges(same.map(({ row }) => row));
      return written.length === 0 ? [] : written.reduce(follow, { kind, id, ...unknown });
    }),
    until: rows.reduce((last, { at = '' }) => Math.max(last, Date.parse(at) || 0), 0),
  };
};

/** What differs from the saved log in the access of a key or an organization. */
interface Reopened {
  readonly kind: SavedAccess['kind'];
  readonly id: string;
  readonly found: string;
  readonly ended_at: string | undefined;
  readonly reason: string | undefined;
  /** What to do. */
  readonly command: string;
}

type Found = Omit<Reopened, 'kind' | 'id'>;

/** What has no end in the log. */
const found = (what: string, command: string): Found => ({
  found: what,
  ended_at: undefined,
  reason: undefined,
  command,
});

const activeAgain = ({ at, reason }: SavedRow, command: string): Found => ({
  found: 'active again',
  ended_at: at,
  reason,
  command,
});

/** What cannot be compared. */
const unreadable = (command: string): Found =>
  found('cannot be read', `correct its document, or end it: ${command}`);

const compareOneKey = (
  access: SavedAccess,
  registry: KeyRegistry,
  now: number,
): readonly Found[] => {
  const { id, ended, expiresAt, isIssued } = access;
  const again = ended?.reason ?? 'revoked before the restore';
  const revoke = `artist-gateway keys revoke ${id} --yes --reason ${quotedWord(again)}`;
  const key = registry.keys.find((one) => one.id === id);
  if (key === undefined) {
    const broken = registry.unreadable.find((one) => one.id === id);
    if (broken?.isEnded === true) return [];
    if (broken !== undefined)
      return [
        ended === undefined
          ? unreadable(`artist-gateway keys revoke ${id}`)
          : activeAgain(ended, revoke),
      ];
    const hadExpired = expiresAt !== undefined && expiresAt <= now;
    if (!isIssued || ended !== undefined || hadExpired) return [];
    return [
      found('lost in the restore', 'artist-gateway keys issue …, and give its partner the new key'),
    ];
  }
  if (ended !== undefined) return key.revokedAt === undefined ? [activeAgain(ended, revoke)] : [];
  if (inactiveReason(key, now) !== undefined) return [];
  const settings = compareKey(access, key, now).map((one) => found(one.found, one.command));
  if (expiresAt === undefined || (key.expiresAt ?? Infinity) <= expiresAt) return settings;
  const ended_at = new Date(expiresAt).toISOString();
  const later = (command: string) => ({ ...found('expires later than before', command), ended_at });
  return expiresAt <= now
    ? [later(revoke)]
    : [...settings, later(`from ${ended_at} on: ${revoke}`)];
};

const suspendedAgain = 'suspended again';

/** `until`: when the last record of the log was written, in epoch milliseconds. */
const compareOneOrganization = (
  access: SavedAccess,
  registry: KeyRegistry,
  now: number,
  until: number,
): readonly Found[] => {
  const { id, ended, isIssued } = access;
  const reason = quotedWord(ended?.reason ?? 'suspended before the restore');
  const suspend = `artist-gateway organizations suspend ${id} --yes --reason ${reason}`;
  const organization = registry.organizations.find((one) => one.id === id);
  if (organization === undefined) {
    const broken = registry.unreadableOrganizations.find((one) => one.id === id);
    if (broken?.ended !== undefined) return [];
    if (broken !== undefined)
      return [
        ended === undefined
          ? unreadable(`artist-gateway organizations suspend ${id}`)
          : activeAgain(ended, suspend),
      ];
    if (!isIssued) return [];
    const create = creationOf(access);
    const command = ended === undefined ? create : `${create}, then ${suspend}`;
    return [found('lost in the restore', command)];
  }
  const { suspendedAt } = organization;
  const isReopened = ended !== undefined && suspendedAt === undefined;
  const isKnown = isIssued || Object.hasOwn(access.members, 'suspended_at');
  // the log has no record of what came after it
  const isEnded = ended === undefined && isKnown && (suspendedAt ?? Infinity) <= until;
  const resume = restoring(`organizations resume ${id}`);
  const settings = compareOrganization(access, organization, now);
  return [
    ...(isReopened ? [activeAgain(ended, suspend)] : []),
    ...(isEnded ? [found(suspendedAgain, resume)] : []),
    ...settings.map((one) => found(one.found, one.command)),
  ];
};

const compareAccess = (
  { accesses, until }: SavedState,
  registry: KeyRegistry,
  now: number,
): readonly Reopened[] => {
  const rows = accesses.flatMap((access): readonly Reopened[] => {
    const { kind, id } = access;
    const differing =
      kind === 'key'
        ? compareOneKey(access, registry, now)
        : compareOneOrganization(access, registry, now, until);
    return differing.map((one) => ({ kind, id, ...one }));
  });
  // what a suspension still refuses is ended before it ends
  const isLast = ({ found }: Reopened): boolean => found === suspendedAgain;
  return [...rows.filter((row) => !isLast(row)), ...rows.filter(isLast)];
};

/**
 * Keys and organizations of the database of whose creation the log has no record. Their end may be
 * missing too: `--limit` cuts the oldest records.
 */
const listUnrecorded = (
  saved: readonly SavedAccess[],
  registry: KeyRegistry,
): readonly Reopened[] => {
  const recorded = new Set(saved.filter(({ isIssued }) => isIssued).map(nameOf));
  const keyIds = [...registry.keys, ...unreadablePolicies(registry)].flatMap(({ id }) => id ?? []);
  const keys = keyIds.map((id) => ({
    kind: 'key' as const,
    id,
    command: `artist-gateway keys show ${id}, and revoke it if it had ended`,
  }));
  const allOrganizations = [...registry.organizations, ...registry.unreadableOrganizations];
  const organizations = allOrganizations.map(({ id }) => ({
    kind: 'organization' as const,
    id,
    command: `artist-gateway organizations list, and suspend ${id} if it was suspended`,
  }));
  return [...keys, ...organizations]
    .filter((one) => !recorded.has(nameOf(one)))
    .map(({ command, ...one }) => ({ ...one, ...found('no record of its creation', command) }));
};

const columns: readonly Column<Reopened>[] = [
  { title: 'kind', show: ({ kind }) => kind, importance: 2 },
  { title: 'id', show: ({ id }) => id },
  { title: 'found', show: ({ found }) => found },
  { title: 'ended', show: ({ ended_at }) => ended_at, importance: 1 },
  { title: 'what to do', show: ({ command }) => command, isWrapped: true },
];

const must = 'be the output of "artist-gateway keys log --limit 999999 --json"';

/**
 * `keys reopened`: what a restore changed in the access of keys and organizations, by an audit log
 * that was saved before it.
 */
export const reopenedCommand: DefineCommand = (command) =>
  withShowOptions(
    command.argument('<log>', 'a file with the output of "keys log --limit 999999 --json"'),
  )
    .description(
      'after a restore: list keys and organizations that are active or suspended again, may do other things than a saved audit log says, or are lost',
    )
    .addHelpText(...example('artist-gateway keys reopened keys-log.json'))
    .action(async (path, options) => {
      const state = readState(await readJsonFile(path, savedLog, must));
      const saved = state.accesses;
      if (saved.length === 0) throw new UsageError(`${path}: has no records. It must ${must}.`);
      await withContext(async ({ loadRegistry, now }) => {
        const registry = await loadRegistry();
        const reopened = compareAccess(state, registry, now());
        const unrecorded = listUnrecorded(saved, registry);
        const named = new Set(reopened.map(nameOf));
        const rows = [...reopened, ...unrecorded.filter((one) => !named.has(nameOf(one)))];
        printListing(rows, columns, options);
        const total = new Set([...saved, ...unrecorded].map(nameOf)).size;
        if (unrecorded.length > 0)
          note(
            `The log has no record of the creation of ${unrecorded.length} of ${total} keys and organizations: it is cut, or they were not created with a command. A whole log is the output of "artist-gateway keys log --limit 999999 --json".`,
          );
        const differing = new Set(rows.map(nameOf)).size;
        if (differing > 0) throw new Error(`${differing} of ${total} do not match the log.`);
        note(
          `All ${total} keys and organizations match the log in what was compared: end, form, scopes, envelope override, quotas, sunset and trial.`,
        );
      });
    });
