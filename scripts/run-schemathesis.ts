import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { demoKey } from '../test/support/faults/database.ts';
import { startGatewayProcess } from '../test/support/gateway-process.ts';

// Runs Schemathesis against both contracts of a running gateway: with a key of every scope, and
// shorter with keys of fewer. `./scripts/test.sh schemathesis` installs it.

const folder = new URL('../test/support/python/', import.meta.url);

/**
 * Most random cases for each operation: some 2,000 requests a form in all with the first key, whose
 * quota they do not reach.
 */
const many = { current: 400, variant: 1_000 };
const few = 40;

const runs = [
  { form: 'current', contract: 'openapi.json', key: 'qaCurrent', cases: many.current },
  { form: 'current', contract: 'openapi.json', key: 'curRead01', cases: few },
  { form: 'current', contract: 'openapi.json', key: 'curArts01', cases: few },
  { form: 'current', contract: 'openapi.json', key: 'curSpikes', cases: few },
  { form: 'variant', contract: 'openapi.variant.json', key: 'qaVariant', cases: many.variant },
  { form: 'variant', contract: 'openapi.variant.json', key: 'varPlain1', cases: few },
] as const;

const gateway = await startGatewayProcess({ LOG_LEVEL: 'info' });
const failed: string[] = [];
for (const { form, contract, key, cases } of runs) {
  console.log(`\n──── ${form} form, key ${key}\n`);
  const settings = ['--config-file', fileURLToPath(new URL(`schemathesis-${form}.toml`, folder))];
  const authorization = ['--header', `Authorization: Bearer ${demoKey(key)}`];
  const options = ['--max-examples', String(cases), '--workers', '1', '--warnings', 'off'];
  const child = spawn(
    fileURLToPath(new URL('venv/bin/schemathesis', folder)),
    [...settings, 'run', `${gateway.url}/${contract}`, ...authorization, ...options],
    { stdio: 'inherit', cwd: folder },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) failed.push(`${form} ${key}`);
}
await gateway.stop();
console.log(`\nfailed: ${failed.join(', ') || 'nothing'}`);
process.exitCode = failed.length > 0 ? 1 : 0;
