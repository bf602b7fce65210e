import { expect } from 'chai';
import type { Finding } from '../../../tools/cli/doctor/finding.ts';
import type { Settings } from './run.ts';
import { runWarm } from './run.ts';

/**
 * Runs the doctor. Resolves to its findings by check: `state: found`, and the advice behind an
 * arrow. Expects exit code 1 when a check fails and 0 without, and advice in every line that is not
 * "ok".
 */
export const examine = async (settings: Settings): Promise<ReadonlyMap<string, string>> => {
  const { code, stdout, stderr } = await runWarm(settings, ['doctor', '--json']);
  const lines: readonly Finding[] = JSON.parse(stdout);
  const broken = lines.filter(({ state }) => state === 'fail').length;
  expect({ code, stderr }).to.deep.equal(
    broken === 0 ? { code: 0, stderr: '' } : { code: 1, stderr: `Failed checks: ${broken}.\n` },
  );
  for (const { state, advice } of lines) expect(advice === undefined).to.equal(state === 'ok');
  return new Map(
    lines.map(({ check, state, found, advice }) => [
      check,
      `${state}: ${[found, advice].filter(Boolean).join(' → ')}`,
    ]),
  );
};
