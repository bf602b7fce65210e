import { createJudgeThread } from './judge-thread.ts';
import { createShadow, type Shadow, type ShadowOptions } from './shadow.ts';
import { createShadowReport, type ShadowReportOptions } from './shadow-report.ts';

/** Opens a shadow comparison with a worker thread of its own. */
export const openShadow = (options: Pick<ShadowOptions, 'share' | 'forms'> & ShadowReportOptions): Shadow => {
  const thread = createJudgeThread();
  thread.start();
  return createShadow({ ...options, thread, report: createShadowReport(options) });
};
