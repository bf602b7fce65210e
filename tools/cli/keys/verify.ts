import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { StoredDocument } from '../../../adapters/stores/documents/stored-document.ts';
import { groupBy } from '../../../src/domain/groups.ts';
import { instantText } from '../../../src/domain/quantities.ts';
import { writtenChanges } from '../../operator/audit-log.ts';
import { createAuditedWrites } from '../../operator/audited-writes.ts';
import { type DefineCommand, example } from '../command.ts';
import { type Context, withContext } from '../context.ts';
import { readJsonFile } from '../option-parsers.ts';
import { auditEntry, withAuditOptions } from '../shared-options.ts';
import { confirm, requireReason } from '../terminal/confirm.ts';
import { note, UsageError } from '../terminal/messages.ts';
import { type Column, printListing } from '../terminal/table.ts';
import { formatChange, toLogRow } from './log.ts';

const kinds = {
  key: { collection: 'api_keys', end: 'revoked_at' },
  organization: { collection: 'organizations', end: 'suspended_at' },
} as const;

type Kind = keyof typeof kinds;

/** A value of a saved log as it is stored: with dates for instants. */
const toStored = (value: unknown): unknown => {
  if (typeof value === 'string') return instantText.test(value) ? new Date(value) : value;
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toStored(one)]))
    : value;
};

const members = z.record(z.string(), z.unknown().transform(toStored)).optional();
const savedLog = z.array(
  z.object({
    at: z.string().optional(),
    key_id: z.string().optional(),
    organization_id: z.string().optional(),
    reason: z.string().optional(),
    before: members,
    after: members,
  }),
);
type LoggedChange = z.output<typeof savedLog>[number];

interface Logged {
  readonly kind: Kind;
  readonly id: string;
  readonly isWhole: boolean;
  readonly members: StoredDocument;
}

const nameOf = ({ kind, id }: Pick<Logged, 'kind' | 'id'>): string => `${kind} ${id}`;

const apply = (logged: Logged, { before, after }: LoggedChange): Logged => ({
  ...logged,
  isWhole: logged.isWhole || (before === undefined && after !== undefined),
  members: {
    ...logged.members,
    ...Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, undefined])),
    ...after,
  },
});

const readLog = (changes: readonly LoggedChange[]): readonly Logged[] => {
  const about = changes.flatMap((change) => {
    const kind: Kind = change.key_id === undefined ? 'organization' : 'key';
    const id = change.key_id ?? change.organization_id;
    return id === undefined ? [] : [{ kind, id, change }];
  });
  return [...groupBy(about, nameOf).values()].flatMap((same) => {
    const [{ kind, id }] = same;
    const written = writtenChanges(same.map(({ change }) => change));
    return written.length === 0
      ? []
      : [written.reduce(apply, { kind, id, isWhole: false, members: {} })];
  });
};

const storedValue = (members: StoredDocument, name: string, now: number): unknown => {
  const value = members[name] ?? undefined;
  const { until } = Object(name === 'trial' ? value : undefined);
  return until !== undefined && Number(until) <= now ? undefined : value;
};

interface Difference extends Pick<Logged, 'kind' | 'id'> {
  readonly found: string;
  readonly before?: StoredDocument;
  readonly after?: StoredDocument;
}

const compare = (
  { kind, id, isWhole, members }: Logged,
  stored: StoredDocument | undefined,
  now: number,
): readonly Difference[] => {
  const { end } = kinds[kind];
  const hasEnded = members[end] !== undefined;
  if (stored === undefined) {
    const isOver = hasEnded || Number(members['expires_at'] ?? Number.NaN) <= now;
    return isOver || !isWhole ? [] : [{ kind, id, found: 'lost in the restore' }];
  }
  if (hasEnded && (stored[end] ?? undefined) !== undefined) return [];
  const differing = (hasEnded ? [end] : Object.keys(members)).filter(
    (name) => !isDeepStrictEqual(storedValue(members, name, now), storedValue(stored, name, now)),
  );
  if (differing.length === 0) return [];
  const pick = (from: StoredDocument) =>
    Object.fromEntries(differing.map((name) => [name, from[name] ?? undefined]));
  const found = hasEnded ? 'active again' : 'other than before';
  return [{ kind, id, found, before: pick(stored), after: pick(members) }];
};

const readStored = async ({ database: { documents } }: Context) => {
  const stored = new Map<string, Pick<Logged, 'kind' | 'id'> & { document: StoredDocument }>();
  for (const kind of ['key', 'organization'] as const)
    for await (const document of documents.find(kinds[kind].collection)) {
      const subject = { kind, id: String(document['_id']) };
      stored.set(nameOf(subject), { ...subject, document });
    }
  return stored;
};

const columns: readonly Column<Difference>[] = [
  { title: 'kind', show: ({ kind }) => kind },
  { title: 'id', show: ({ id }) => id },
  { title: 'found', show: ({ found }) => found },
  { title: 'stored → in the log', show: formatChange },
];

const must = 'be the output of "artist-gateway keys log --limit 999999 --json"';

export const verifyCommand: DefineCommand = (command) =>
  withAuditOptions(
    command
      .argument('<log>', 'a file with the output of "keys log --limit 999999 --json"')
      .option('--restore', 'make all of them as the log has them; needs --reason')
      .option('--yes', 'do not ask for confirmation')
      .option('--json', 'print a JSON array'),
  )
    .description('after a restore, list keys and organizations that differ from a saved audit log')
    .addHelpText(...example('artist-gateway keys verify keys-log.json'))
    .action(async (path, { restore, yes, actor, reason, ...options }) => {
      if (restore) requireReason({ reason });
      const saved = await readJsonFile(path, savedLog, must);
      if (readLog(saved).length === 0)
        throw new UsageError(`${path}: has no records. It must ${must}.`);
      await withContext(async (context) => {
        const { audit, database, now } = context;
        const until = saved.reduce((last, { at = '' }) => (at > last ? at : last), '');
        const later = (await audit.read({ limit: 999_999 }))
          .map(toLogRow)
          .filter(({ at = '' }) => at > until);
        const log = readLog([...saved, ...later]);
        const stored = await readStored(context);
        const whole = new Set(log.filter(({ isWhole }) => isWhole).map(nameOf));
        const differing = log.flatMap((one) =>
          compare(one, stored.get(nameOf(one))?.document, now()),
        );
        const named = new Set(differing.map(nameOf));
        const unrecorded = [...stored]
          .filter(([name]) => !whole.has(name) && !named.has(name))
          .map(([, { kind, id }]): Difference => {
            return { kind, id, found: 'no record of its creation: the log is cut' };
          });
        const rows = [...differing, ...unrecorded];
        printListing(rows, columns, options);
        const total = new Set([...log.map(nameOf), ...stored.keys()]).size;
        if (rows.length === 0) return note(`All ${total} keys and organizations match the log.`);
        if (!restore) throw new Error(`${rows.length} of ${total} do not match the log.`);
        const restored = differing.filter(({ after }) => after !== undefined);
        await confirm(`Make ${restored.length} of them as the log has them?`, { yes });
        const { update } = createAuditedWrites(database.documents, audit);
        for (const { kind, id, before = {}, after = {} } of restored) {
          const subject = kind === 'key' ? { keyId: id } : { organizationId: id };
          const entry = auditEntry({ actor, reason }, 'keys verify', now());
          const change = { ...entry, ...subject, before, after };
          await update(kinds[kind].collection, id, change, after, before);
        }
        note(`${restored.length} of ${rows.length} are as the log has them.`);
        if (restored.length < rows.length) process.exitCode = 1;
      });
    });
