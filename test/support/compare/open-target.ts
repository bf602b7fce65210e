import { casesFolder, fixtureFolder } from '../../../src/runtime/folders.ts';
import { type ComparisonCase, readCases } from '../../../tools/compare/cases/cases.ts';
import type { SendRequest } from '../../../tools/compare/cases/send-request.ts';
import type { CasesRun } from '../../../tools/compare/results.ts';
import { runCases } from '../../../tools/compare/run.ts';
import {
  type EmbeddedOptions,
  openEmbeddedTarget,
} from '../../../tools/compare/targets/embedded-target.ts';

/** The default settings of the gateway. */
export const spikes = { floor: 1000, thresholdPercent: 20 };

/** The cases of the package with these names; without names, all. */
export const readNamed = async (...names: readonly string[]): Promise<readonly ComparisonCase[]> =>
  (await readCases(casesFolder)).filter(({ name }) => names.length === 0 || names.includes(name));

/**
 * Runs cases with a gateway in this process, by default over the example catalogue. `slip` changes
 * what it replies.
 */
export const runEmbedded = async (
  cases: readonly ComparisonCase[],
  {
    slip = (send) => send,
    ...options
  }: Partial<EmbeddedOptions> & { readonly slip?: (send: SendRequest) => SendRequest } = {},
): Promise<CasesRun> => {
  const target = await openEmbeddedTarget({ folder: fixtureFolder, spikes, ...options });
  const changed = { send: slip(target.send), sendAgain: slip(target.sendAgain) };
  try {
    return await runCases(cases, { ...target, ...changed });
  } finally {
    await target.close();
  }
};
