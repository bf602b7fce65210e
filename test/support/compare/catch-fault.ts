import type { RequestListener } from 'node:http';
import Koa from 'koa';
import { forms } from '../../../adapters/forms/forms.ts';
import { createPipeline } from '../../../adapters/http/pipeline.ts';
import { createEmbeddedQuotas } from '../../../adapters/stores/embedded/quotas.ts';
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
    const listener = new Koa()
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

/** Runs cases with a fault, by default over the example catalogue. */
export const runWithFault = async (
  cases: readonly ComparisonCase[],
  fault: GivenFault,
  catalogue: GivenCatalogue = { folder: fixtureFolder },
): Promise<CasesRun> => {
  const target = await openEmbeddedTarget({ ...catalogue, spikes, listener: listenerOf(fault) });
  try {
    return await runCases(cases, target);
  } finally {
    await target.close();
  }
};

/** A gateway that gets one fault after another; each begins with quotas that nothing has used. */
const openPlanted = async (catalogue: GivenCatalogue) => {
  let open = (_fault: GivenFault): void => {};
  const listener = (gateway: Gateway): RequestListener => {
    let answer: RequestListener;
    open = (fault) => {
      answer = listenerOf(fault)({ ...gateway, quotas: createEmbeddedQuotas(gateway.clock) });
    };
    open({});
    return (request, response) => answer(request, response);
  };
  const target = await openEmbeddedTarget({ ...catalogue, spikes, listener });
  return {
    target,
    plant(fault: GivenFault): void {
      target.forget();
      open(fault);
    },
  };
};

/** A reply without what differs from one gateway to the next: its date, and the request's id. */
const textOf = ({
  status,
  headers: { date: _date, 'x-request-id': id, ...headers },
  text,
}: ReceivedResponse): string =>
  JSON.stringify([status, headers, id === undefined ? text : text.replaceAll(id, 'its id')]);

/** Without what the requests before it used of the quotas. */
const withoutCounts = ({ headers, ...reply }: ReceivedResponse): ReceivedResponse => {
  const facts = Object.entries(headers).map(([name, value]) => [
    name,
    /^ratelimit$|remaining$/.test(name) ? 'a count' : value,
  ]);
  return { ...reply, headers: Object.fromEntries(facts) };
};

/**
 * The beginnings of the paths whose answers of a form a fault may change: `/` unless it only
 * changes routes of forms.
 */
const changedPaths = (
  { forms: change, catalogue, quotas, headers }: GivenFault,
  served: string | undefined,
): readonly string[] => {
  const form = forms.find(({ name }) => name === served);
  const isOfForms = [catalogue, quotas, headers].every((other) => other === undefined);
  if (!isOfForms || form === undefined || change === undefined) return ['/'];
  const { routes, ...rest } = change(form);
  const declared = new Map<string, unknown>(Object.entries(form));
  if (!Object.entries(rest).every(([name, value]) => declared.get(name) === value)) return ['/'];
  return [...routes, ...form.routes]
    .filter((route) => !(routes.includes(route) && form.routes.includes(route)))
    .map(({ path }) => path.replace(/:.*/, ''));
};

/** A request, and the reply of the gateway without a fault. */
interface KnownExchange {
  readonly request: ComparisonRequest;
  readonly reply: ReceivedResponse;
  /** For which of the artists that the case is run for, from 0. */
  readonly round: number;
}

/**
 * Runs cases with one fault after another, over the example catalogue by default. A comparison
 * depends on the replies alone, so a case whose replies are those of the gateway without a fault is
 * not compared again.
 */
export const createFaultRunner = async (
  cases: readonly ComparisonCase[],
  catalogue: GivenCatalogue = { folder: fixtureFolder },
) => {
  const { target, plant } = await openPlanted(catalogue);
  const known = new Map<string, KnownExchange[]>();
  let [exchanges, round]: [KnownExchange[], number] = [[], 0];
  const send: ComparisonTarget['send'] = async (request) => {
    const reply = await target.send(request);
    exchanges.push({ request, reply, round });
    return reply;
  };
  const withoutFault = await runCases(cases, { ...target, send }, ({ name }, done) => {
    if (done === 0) exchanges = [];
    round = done;
    known.set(name, exchanges);
  });
  /**
   * Whether the replies are known; those to a request that is repeated are not, as they do not come
   * from the cache.
   */
  const isKnown = async (
    fault: GivenFault,
    { name, current, variant, each = 1 }: ComparisonCase,
  ): Promise<boolean> => {
    if (current.times !== undefined || variant.times !== undefined) return false;
    for (const { request, reply, round } of known.get(name) ?? []) {
      const paths = changedPaths(fault, reply.headers['x-envelope-served']);
      if (round >= each || !paths.some((path) => request.path.startsWith(path))) continue;
      const facts = paths.includes('/')
        ? textOf
        : (one: ReceivedResponse) => textOf(withoutCounts(one));
      if (facts(await target.send(request)) !== facts(reply)) return false;
    }
    return true;
  };
  return {
    withoutFault,
    /**
     * Runs the cases that the fault concerns, each for one artist; or, with `onlyFirst`, for every
     * artist, and up to the first one with a difference.
     */
    async run(fault: GivenFault, { onlyFirst = false } = {}): Promise<CasesRun> {
      plant(fault);
      const runs: CasesRun[] = [];
      for (const whole of cases) {
        if (onlyFirst && countUnexpected(joinRuns(runs)) > 0) break;
        const one = onlyFirst || whole.each === undefined ? whole : { ...whole, each: 1 };
        if (!(await isKnown(fault, one))) runs.push(await runCases([one], target));
      }
      return joinRuns(runs);
    },
    close: target.close,
  };
};

export type FaultRunner = Awaited<ReturnType<typeof createFaultRunner>>;
