import { setTimeout as wait } from 'node:timers/promises';
import { formatDuration } from '../../../src/domain/quantities.ts';
import type { OnCase } from '../../compare/run.ts';
import type { WaitToRetry } from '../../compare/targets/client.ts';
import { type ProgressOptions, startProgress } from '../terminal/progress.ts';

export const startCompareProgress = (cases: number, options?: ProgressOptions) => {
  const { show, end } = startProgress(options);
  let begun = 0;
  const onCase: OnCase = ({ name }, done, rounds) => {
    if (done === 0) begun += 1;
    // The number of pages of a list is known only at its end.
    const doing = done === 0 || rounds <= 1 ? name : `${name}, ${done} of ${rounds} artists`;
    show('Comparing', `${begun} of ${Math.max(cases, begun)} cases: ${doing}`);
  };
  const waitToRetry: WaitToRetry = async (form, seconds) => {
    for (let left = seconds; left > 0; left--) {
      show('Waiting', `${formatDuration(left * 1000)} before the next request in the ${form} form`);
      await wait(1000);
    }
  };
  return { onCase, wait: waitToRetry, end };
};

export type CompareProgress = ReturnType<typeof startCompareProgress>;

/** Shows nothing: an embedded comparison takes seconds. */
export const silentProgress: CompareProgress = {
  onCase() {},
  wait: (_form, seconds) => wait(seconds * 1000),
  end() {},
};
