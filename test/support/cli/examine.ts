import { expect } from 'chai';
import type { Finding } from '../../../adapters/cli/doctor/finding.ts';
import type { Settings } from './run.ts';
import { runWarm } from './warm-command.ts';

export type Examined = ReadonlyMap<string, string>;

/**
 * Runs the doctor. Resolves to `state: found` by check, with the advice behind an arrow when `withAdvice` is given. Expects exit
 * code 1 when a check fails and 0 without, and advice in every line that is not "ok".
 */
export const examine = async (settings: Settings, { withAdvice = false } = {}): Promise<Examined> => {
  const { code, stdout, stderr } = await runWarm(settings, ['doctor', '--json']);
  const lines: readonly Finding[] = JSON.parse(stdout);
  const broken = lines.filter(({ state }) => state === 'mend').length;
  expect({ code, stderr }).to.deep.equal(
    broken === 0 ? { code: 0, stderr: '' } : { code: 1, stderr: `Failed checks: ${broken}.\n` },
  );
  for (const { state, advice } of lines) expect(advice === undefined).to.equal(state === 'ok');
  const textOf = (advice: string | undefined): string => (withAdvice && advice !== undefined ? ` → ${advice}` : '');
  return new Map(lines.map(({ check, state, found, advice }) => [check, `${state}: ${found}${textOf(advice)}`]));
};
