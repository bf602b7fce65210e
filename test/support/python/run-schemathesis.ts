import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { demoKey } from '../documents.ts';
import { startGatewayProcess } from '../gateway-process.ts';

// Runs Schemathesis against both contracts of a running gateway: with a key of every scope, and
// shorter with keys of fewer. `./scripts/test.sh schemathesis` installs it.

const folder = new URL('.', import.meta.url);

/** With the first key of a form about 2,000 requests, below its quota. */
const runs = [
  ['current', 'openapi.json', 'qaCurrent', 400],
  ['current', 'openapi.json', 'curRead01', 40],
  ['current', 'openapi.json', 'curArts01', 40],
  ['current', 'openapi.json', 'curSpikes', 40],
  ['variant', 'openapi.variant.json', 'qaVariant', 1_000],
  ['variant', 'openapi.variant.json', 'varPlain1', 40],
] as const;

const gateway = await startGatewayProcess({ LOG_LEVEL: 'info' });
const failed: string[] = [];
for (const [form, contract, key, cases] of runs) {
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
