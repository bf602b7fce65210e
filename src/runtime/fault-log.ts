import type { DocumentFault } from '../domain/document-fault.ts';
import type { Log } from '../ports.ts';

/** Lines of one load. Faults beyond them are logged at the next loads. */
const maxLines = 100;

/**
 * Creates a log of the faults of a source. Each load passes all of its faults; each is logged once,
 * and again only after a load without it.
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
