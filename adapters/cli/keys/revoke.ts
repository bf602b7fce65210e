import { type DefineCommand, example } from '../command.ts';
import { confirmHarm } from '../confirm-harm.ts';
import { readKeyId } from '../option-parsers.ts';
import { withChangeOptions } from '../shared-options.ts';
import { changeKey, requireActive } from './change-key.ts';

export const revokeCommand: DefineCommand = (command) =>
  withChangeOptions(
    command
      .argument('<key>', 'the id of the key', readKeyId)
      .option('--yes', 'do not ask for confirmation; needs --reason'),
  )
    .description('revoke a key now; this cannot be undone')
    .addHelpText(...example('artist-gateway keys revoke 3fK9sQ2xA --reason "found in a public repository"'))
    .action((id, options) =>
      changeKey(id, { ...options, action: 'keys revoke' }, async (key, revokedAt) => {
        requireActive(key, revokedAt);
        const question = `Revoke key ${id} of ${key.organizationId} (${key.partner})? This cannot be undone.`;
        const reason = await confirmHarm(question, options);
        const done = [`Key ${id} is revoked: gateways refuse it within 5 seconds.`];
        return { changed: { ...key, revokedAt }, done, reason };
      }),
    );
