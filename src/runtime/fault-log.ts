import type { DocumentFault } from '../domain/document-fault.ts';
import type { Log } from '../ports.ts';

/** Maximum log lines per load. Further faults are logged at the next loads. */
const maxLines = 100;

/**
 * Creates a fault log for a source. Each load passes all faults. Each fault is logged once, and
 * again only after a load without it.
 */
export const createFaultLog = (log: Log): ((faults: readonly DocumentFault[]) => void) => {
  let logged = new Set<string>();
  return (faults) => {
    const next = new Set<string>();
    let lines = 0;
    for (const fault of faults) {
      const text = JSON.stringify(fault);
      if (!logged.has(text) && !next.has(text)) {
        if (lines === maxLines) continue;
        const { event, ...facts } = fault;
        if (fault.document === 'all')
          log.error(facts, event); // about a whole collection
        else log.warn(facts, event);
        lines += 1;
      }
      next.add(text);
    }
    logged = next;
  };
};
