import type { KeyRecord } from '../../../src/domain/caller.ts';
import { formatInstant } from '../../../src/domain/quantities.ts';
import { generateKey } from '../../../src/keys/generate-key.ts';
import { inactiveReason, rotate, rotationError } from '../../../src/keys/key-policy.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readDuration, readExpiry, readKeyId } from '../option-parsers.ts';
import type { KeyRegistry } from '../resolve-subject.ts';
import { effectDelay } from '../settings.ts';
import { auditEntry, withAuditOptions } from '../shared-options.ts';
import { note, UsageError } from '../terminal/messages.ts';
import { storeAndPrint } from './issue.ts';

const whyNoSuccessor = (key: KeyRecord | undefined, { keys }: KeyRegistry, now: number): string => {
  if (key === undefined)
    return 'Its document cannot be read, so it has no successor: issue a key instead.';
  if (key.replacedBy !== undefined) {
    const successor = keys.find(({ id }) => id === key.replacedBy);
    const ended = successor && inactiveReason(successor, now);
    return ended === undefined
      ? `${key.replacedBy} replaces it already.`
      : `It was rotated. ${ended}, too: issue a key instead.`;
  }
  return `${inactiveReason(key, now)}, so it has no successor: issue a key instead.`;
};

export const rotateCommand: DefineCommand = (command) =>
  withAuditOptions(
    command
      .argument('<key>', 'the id of the key to replace', readKeyId)
      .requiredOption(
        '--overlap <duration>',
        'how long both keys are valid: 0s, 12h, 7d',
        readDuration,
      )
      .option(
        '--expires <when>',
        'when the successor expires: a duration (12h, 365d), a date or never (default: the lifetime of the replaced key)',
        readExpiry,
      )
      .option('--json', 'print {id, key} instead of the key alone'),
  )
    .description('replace a key with a new one; both are valid until the overlap ends')
    .addHelpText(...example('artist-gateway keys rotate 3fK9sQ2xA --overlap 7d --reason "yearly"'))
    .action((id, options) =>
      withContext(async ({ keys, loadRegistry, now }) => {
        const registry = await loadRegistry();
        const at = now();
        const found = registry.keys.find((key) => key.id === id);
        const refusal = found && rotationError(found, at);
        if (options.overlap === 0 && (found === undefined || refusal !== undefined)) {
          // Without overlap the key must end, even if it gets no successor. An expiry is not enough:
          // this machine's clock may be ahead of the gateways'.
          const access = await keys.keyAccess(id);
          if (access !== undefined && access.ended === undefined) {
            await access.end(auditEntry(options, 'keys rotate', at));
            throw new Error(
              `Key ${id} is revoked: gateways refuse it ${effectDelay()}. ${whyNoSuccessor(found, registry, at)}`,
            );
          }
        }
        const key = registry.key(id);
        if (refusal !== undefined) throw new Error(refusal);
        const newKey = generateKey();
        const { successor: likePrevious, previous } = rotate(key, newKey, {
          now: at,
          overlapMs: options.overlap,
        });
        const expiresAt =
          options.expires === undefined ? likePrevious.expiresAt : options.expires(at);
        const successor = { ...likePrevious, expiresAt };
        const overlapEnd = previous.revokedAt === undefined ? previous.expiresAt : undefined;
        if (overlapEnd !== undefined && (expiresAt ?? Infinity) < overlapEnd)
          throw new UsageError(
            `The successor would expire at ${formatInstant(expiresAt)}, before ${id} at ${formatInstant(overlapEnd)}: give a later --expires or a shorter --overlap.`,
          );
        await storeAndPrint(newKey, options, async () => {
          const entry = auditEntry(options, 'keys rotate', at);
          await keys.rotateKey(key, { previous, successor }, entry);
          const end =
            overlapEnd === undefined
              ? `which gateways refuse ${effectDelay()}`
              : `which is valid until ${formatInstant(overlapEnd)}`;
          const isCut = overlapEnd !== undefined && overlapEnd < at + options.overlap;
          const why = isCut ? ', not for the whole overlap: it expires then anyway' : '';
          note(`Key ${successor.id} replaces ${id}, ${end}${why}.`);
          if (expiresAt !== undefined)
            note(`Key ${successor.id} expires at ${formatInstant(expiresAt)}.`);
        });
      }),
    );
