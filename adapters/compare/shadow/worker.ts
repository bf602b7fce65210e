import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { ShadowJob } from './job.ts';
import { type Judgement, judge } from './judge.ts';

/** The worker thread: judges jobs one after the other. A job that throws ends the thread; the gateway counts it and goes on. */

// On Linux the priority is that of the calling thread: requests come first wherever the two share a processor. Elsewhere it
// would be that of the whole process.
if (process.platform === 'linux') {
  try {
    setPriority(19);
  } catch {
    // A sandbox may forbid it. Comparisons then compete with requests for the processor, and are as right.
  }
}

parentPort?.on('message', (job: ShadowJob) => {
  const startedAt = performance.now();
  const causes = judge(job);
  const judgement: Judgement = { causes, ms: performance.now() - startedAt };
  parentPort?.postMessage(judgement);
});
