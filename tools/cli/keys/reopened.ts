import { z } from 'zod';
import type { KeyRecord } from '../../../src/domain/caller.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readJsonFile } from '../option-parsers.ts';
import { listedStateOf, unreadablePolicies } from '../policy.ts';
import type { KeyRegistry } from '../resolve-subject.ts';
import { withShowOptions } from '../shared-options.ts';
import { note, UsageError } from '../terminal/messages.ts';
import { quotedWord } from '../terminal/shell-word.ts';
import { type Column, printListing } from '../terminal/table.ts';

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
interface SavedAccess {
  readonly kind: 'key' | 'organization';
  readonly id: string;
  readonly isIssued: boolean;
  /** The record that ended it; `undefined` while it has access. */
  readonly ended: SavedRow | undefined;
  /** When it expires, in epoch milliseconds; `undefined` when the log has no expiry. */
  readonly expiresAt: number | undefined;
}

const has = (members: SavedRow['after'], name: string): boolean =>
  members?.[name] !== undefined && members[name] !== null;

const nameOf = ({ kind, id }: Pick<SavedAccess, 'kind' | 'id'>): string => `${kind} ${id}`;

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
    expiresAt: isExpirySet ? Date.parse(String(expiry ?? '')) || undefined : access.expiresAt,
  };
};

/** The access of each key and organization that the log has, after its last record. */
const readAccess = (rows: readonly SavedRow[]): readonly SavedAccess[] => {
  const states = new Map<string, readonly SavedAccess[]>();
  for (const row of rows) {
    const kind = row.key_id === undefined ? 'organization' : 'key';
    const id = row.key_id ?? row.organization_id;
    if (id === undefined) continue;
    const name = nameOf({ kind, id });
    const earlier = states.get(name) ?? [];
    // A record without members says that the change before it was not written.
    const isUndone = row.before === undefined && row.after === undefined;
    const unknown = { kind, id, isIssued: false, ended: undefined, expiresAt: undefined } as const;
    const last = earlier.at(-1) ?? unknown;
    states.set(name, isUndone ? earlier.slice(0, -1) : [...earlier, follow(last, row)]);
  }
  return [...states.values()].flatMap((each) => each.at(-1) ?? []);
};

/** A key or an organization that has another access than the saved log says. */
interface Reopened {
  readonly kind: SavedAccess['kind'];
  readonly id: string;
  readonly found: string;
  readonly ended_at: string | undefined;
  readonly reason: string | undefined;
  /** What to do. */
  readonly command: string;
}

const reopenedKey = (
  { id, ended, expiresAt, isIssued }: SavedAccess,
  key: KeyRecord | undefined,
  isActive: boolean,
): Omit<Reopened, 'kind' | 'id'> | undefined => {
  if (key === undefined) {
    if (!isIssued || ended !== undefined) return undefined;
    const command = 'artist-gateway keys issue …, and give its partner the new key';
    return { found: 'lost in the restore', ended_at: undefined, reason: undefined, command };
  }
  const again = ended?.reason ?? 'revoked before the restore';
  const revoke = `artist-gateway keys revoke ${id} --yes --reason ${quotedWord(again)}`;
  if (ended !== undefined && key.revokedAt === undefined)
    return { found: 'active again', ended_at: ended.at, reason: ended.reason, command: revoke };
  if (expiresAt === undefined || !isActive || (key.expiresAt ?? Infinity) <= expiresAt)
    return undefined;
  const ended_at = new Date(expiresAt).toISOString();
  return { found: 'expires later than before', ended_at, reason: undefined, command: revoke };
};

const compareAccess = (
  saved: readonly SavedAccess[],
  registry: KeyRegistry,
  now: number,
): readonly Reopened[] =>
  saved.flatMap((access): readonly Reopened[] => {
    const { kind, id, ended } = access;
    if (kind === 'key') {
      const key = registry.keys.find((one) => one.id === id);
      if (key === undefined && registry.unreadable.some((one) => one.id === id)) return [];
      const isActive = key !== undefined && listedStateOf(key, registry, now) === 'active';
      const found = reopenedKey(access, key, isActive);
      return found === undefined ? [] : [{ kind, id, ...found }];
    }
    const organization = registry.organizations.find((one) => one.id === id);
    if (ended === undefined || organization === undefined) return [];
    if (organization.suspendedAt !== undefined) return [];
    const reason = quotedWord(ended.reason ?? 'suspended before the restore');
    const command = `artist-gateway organizations suspend ${id} --yes --reason ${reason}`;
    return [{ kind, id, found: 'active again', ended_at: ended.at, reason: ended.reason, command }];
  });

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
  const organizations = registry.organizations.map(({ id }) => ({
    kind: 'organization' as const,
    id,
    command: `artist-gateway organizations list, and suspend ${id} if it was suspended`,
  }));
  const found = { found: 'no record of its creation', ended_at: undefined, reason: undefined };
  return [...keys, ...organizations]
    .filter((one) => !recorded.has(nameOf(one)))
    .map((one) => ({ ...one, ...found }));
};

const columns: readonly Column<Reopened>[] = [
  { title: 'kind', show: ({ kind }) => kind, importance: 2 },
  { title: 'id', show: ({ id }) => id },
  { title: 'found', show: ({ found }) => found },
  { title: 'ended', show: ({ ended_at }) => ended_at, importance: 1 },
  { title: 'what to do', show: ({ command }) => command, isWrapped: true },
];

const must = 'be the output of "artist-gateway keys log --limit 999999 --json"';

/** `keys reopened`: what a restore gave access again, by an audit log that was saved before it. */
export const reopenedCommand: DefineCommand = (command) =>
  withShowOptions(
    command.argument('<log>', 'a file with the output of "keys log --limit 999999 --json"'),
  )
    .description(
      'after a restore: list keys and organizations that a saved audit log shows as ended and that are active again',
    )
    .addHelpText(...example('artist-gateway keys reopened keys-log.json'))
    .action(async (path, options) => {
      const saved = readAccess(await readJsonFile(path, savedLog, must));
      if (saved.length === 0) throw new UsageError(`${path}: has no records. It must ${must}.`);
      await withContext(async ({ loadRegistry, now }) => {
        const registry = await loadRegistry();
        const reopened = compareAccess(saved, registry, now());
        const unrecorded = listUnrecorded(saved, registry);
        const named = new Set(reopened.map(nameOf));
        const found = [...reopened, ...unrecorded.filter((one) => !named.has(nameOf(one)))];
        printListing(found, columns, options);
        const total = new Set([...saved, ...unrecorded].map(nameOf)).size;
        if (unrecorded.length > 0)
          note(
            `The log has no record of the creation of ${unrecorded.length} of ${total} keys and organizations: it is cut, or they were not created with a command. A whole log is the output of "artist-gateway keys log --limit 999999 --json".`,
          );
        if (found.length > 0) throw new Error(`${found.length} of ${total} do not match the log.`);
        note(`All ${total} keys and organizations match the log.`);
      });
    });
