import type { ComparisonCase } from '../../../adapters/compare/cases/cases.ts';
import type { CaseResult } from '../../../adapters/compare/results.ts';
import { runCases } from '../../../adapters/compare/run.ts';
import { type EmbeddedOptions, openEmbeddedTarget } from '../../../adapters/compare/targets/embedded-target.ts';
import type { Fault } from './faulty.ts';
import { listenerOf } from './faulty-gateway.ts';

/** The default settings of the gateway. */
export const spikes = { floor: 1000, thresholdPercent: 20 };

/** The result of the first case that shows the fault; `undefined` when no case does. */
export const firstToCatch = async (
  cases: readonly ComparisonCase[],
  fault: Pick<Fault, 'forms' | 'catalogue'>,
  { folder, now }: Pick<EmbeddedOptions, 'folder' | 'now'>,
): Promise<CaseResult | undefined> => {
  const open = await openEmbeddedTarget({ folder, now, spikes, listener: listenerOf(fault) });
  try {
    for (const one of cases) {
      const [result] = (await runCases([one], open.target)).cases;
      if (result !== undefined && result.unexpected.length > 0) return result;
    }
    return undefined;
  } finally {
    await open.close();
  }
};

/** The case, row, members and message of a line that shows the fault: one about a row of the crosswalk, if there is one. */
export const describeCatch = (caught: CaseResult | undefined): readonly string[] => {
  const lines = (caught?.unexpected ?? []).map(({ line }) => line);
  const { row = 'none', current, variant, unexpected = '' } = lines.find((line) => line.row) ?? lines[0] ?? {};
  const paths = [current?.path, variant?.path].filter((path) => path !== undefined && path !== '');
  const truncate = (text: string): string => (text.length > 76 ? `${text.slice(0, 75)}…` : text);
  return [caught?.name ?? '', row, [...new Set(paths)].join(' / '), unexpected].map(truncate);
};
