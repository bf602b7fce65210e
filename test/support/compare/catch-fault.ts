import Koa from 'koa';
import { forms } from '../../../adapters/forms/forms.ts';
import type { RequestState } from '../../../adapters/http/form-router.ts';
import { createPipeline } from '../../../adapters/http/pipeline.ts';
import type { Gateway } from '../../../src/gateway.ts';
import { fixtureFolder } from '../../../src/runtime/config.ts';
import type { ComparisonCase } from '../../../tools/compare/cases/cases.ts';
import type {
  ComparisonRequest,
  ReceivedResponse,
} from '../../../tools/compare/cases/send-request.ts';
import { type CasesRun, countUnexpected } from '../../../tools/compare/results.ts';
import { joinRuns, runCases } from '../../../tools/compare/run.ts';
import {
  type EmbeddedOptions,
  openEmbeddedTarget,
} from '../../../tools/compare/targets/embedded-target.ts';
import type { ComparisonTarget } from '../../../tools/compare/targets/target.ts';
import type { Fault } from './faulty.ts';

/** The default settings of the gateway. */
export const spikes = { floor: 1000, thresholdPercent: 20 };

type GivenFault = Pick<Fault, 'forms' | 'catalogue' | 'quotas' | 'headers'>;
type GivenCatalogue = Pick<EmbeddedOptions, 'folder' | 'now'>;

/** A listener for a gateway with the fault. */
const listenerOf =
  ({
    forms: change = (form) => form,
    catalogue,
    quotas = (store) => store,
    headers,
  }: GivenFault): NonNullable<EmbeddedOptions['listener']> =>
  (gateway) => {
    const right = gateway.catalogue.value();
    const wrong = right && catalogue?.(right);
    const faulty: Gateway = {
      ...gateway,
      quotas: quotas(gateway.quotas),
      ...(wrong && { catalogue: { ...gateway.catalogue, value: () => wrong } }),
    };
    const [first, ...rest] = forms;
    const listener = new Koa<RequestState>()
      .use(createPipeline(faulty, [change(first), ...rest.map(change)]))
      .callback();
    if (headers === undefined) return listener;
    return (request, response) => {
      const writeHead = response.writeHead.bind(response);
      // Replies are sent with one call, with an object of headers (`send.ts`).
      response.writeHead = ((status: number, given: Record<string, string>) =>
        writeHead(status, { ...headers(given, status) })) as typeof writeHead;
      return listener(request, response);
    };
  };

/** Opens a gateway with a fault for as long as the work takes. */
const withFault = async <Result>(
  fault: GivenFault,
  catalogue: GivenCatalogue,
  work: (target: ComparisonTarget) => Promise<Result>,
): Promise<Result> => {
  const target = await openEmbeddedTarget({ ...catalogue, spikes, listener: listenerOf(fault) });
  try {
    return await work(target);
  } finally {
    await target.close();
  }
};

/** Runs cases with a fault, by default over the example catalogue. */
export const runWithFault = (
  cases: readonly ComparisonCase[],
  fault: GivenFault,
  catalogue: GivenCatalogue = { folder: fixtureFolder },
): Promise<CasesRun> => withFault(fault, catalogue, (target) => runCases(cases, target));

/** A reply without what differs from one gateway to the next: its date, and the request's id. */
const textOf = ({
  status,
  headers: { date: _date, 'x-request-id': id, ...headers },
  text,
}: ReceivedResponse): string =>
  JSON.stringify([status, headers, id === undefined ? text : text.replaceAll(id, 'its id')]);

/**
 * Runs cases with one fault after another. A comparison depends on the replies alone, so a case
 * whose replies are those of the gateway without a fault is not compared again.
 */
export const createFaultRunner = async (
  cases: readonly ComparisonCase[],
  catalogue: GivenCatalogue = { folder: fixtureFolder },
) => {
  const known = new Map<string, [ComparisonRequest, string][]>();
  const withoutFault = await withFault({}, catalogue, async (target) => {
    let exchanges: [ComparisonRequest, string][] = [];
    const send: ComparisonTarget['send'] = async (request) => {
      const reply = await target.send(request);
      exchanges.push([request, textOf(reply)]);
      return reply;
    };
    return runCases(cases, { ...target, send }, ({ name }, done) => {
      if (done === 0) exchanges = [];
      known.set(name, exchanges);
    });
  });
  /**
   * Whether the replies are known; those to a request that is repeated are not, as they do not come
   * from the cache.
   */
  const isKnown = async (
    { name, current, variant }: ComparisonCase,
    { send }: ComparisonTarget,
  ): Promise<boolean> => {
    if (current.times !== undefined || variant.times !== undefined) return false;
    for (const [request, text] of known.get(name) ?? [])
      if (textOf(await send(request)) !== text) return false;
    return true;
  };
  return {
    withoutFault,
    /** Runs the cases that the fault concerns, or only up to the first one with a difference. */
    run: (fault: GivenFault, { onlyFirst = false } = {}): Promise<CasesRun> =>
      withFault(fault, catalogue, async (target) => {
        const runs: CasesRun[] = [];
        for (const one of cases) {
          if (onlyFirst && countUnexpected(joinRuns(runs)) > 0) break;
          if (!(await isKnown(one, target))) runs.push(await runCases([one], target));
        }
        return joinRuns(runs);
      }),
  };
};

export type FaultRunner = Awaited<ReturnType<typeof createFaultRunner>>;
