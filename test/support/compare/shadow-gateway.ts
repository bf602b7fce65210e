import { createJudgeThread, type JudgeThread } from '../../../adapters/compare/shadow/judge-thread.ts';
import { createShadow } from '../../../adapters/compare/shadow/shadow.ts';
import { createShadowReport } from '../../../adapters/compare/shadow/shadow-report.ts';
import type { Form } from '../../../adapters/forms/form.ts';
import { forms as productForms } from '../../../adapters/forms/forms.ts';
import { createMetrics } from '../../../adapters/telemetry/metrics.ts';
import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import { createUsageCounter } from '../../../src/usage/counter.ts';
import { createManualClock } from '../clock.ts';
import { createTestGateway, fullKeys, getDecoded, type TestGatewayOptions } from '../gateway.ts';
import { createMemoryLog } from '../log.ts';

/** A judge in a worker thread that runs this text. */
export const createFaultyThread = (text: string, maxMs: number): JudgeThread =>
  createJudgeThread({ program: new URL(`data:text/javascript,${encodeURIComponent(text)}`), maxMs });

interface ShadowGatewayOptions extends Pick<TestGatewayOptions, 'source'> {
  readonly share?: number;
  readonly thread?: JudgeThread;
  readonly change?: (form: Form) => Form;
  readonly pauseMs?: number;
}

const samplesOf = (text: string, name: string, label: string): Readonly<Partial<Record<string, number>>> =>
  Object.fromEntries(
    [...text.matchAll(new RegExp(`^${name}\\{${label}="(.*)"\\} (\\d+)$`, 'gm'))].map(([, value = '', count]) => [
      value,
      Number(count),
    ]),
  );

/** Starts a gateway that compares its answers with the other form; without a share none. */
export const createShadowGateway = async (options: ShadowGatewayOptions = {}) => {
  const { share = 1, thread = createJudgeThread(), change = (form) => form, pauseMs = 0, source } = options;
  const clock = createManualClock();
  const log = createMemoryLog();
  const metrics = createMetrics('test');
  const usage = createUsageCounter({ clock, instance: 'one' });
  const [first, ...others] = productForms;
  const forms = [change(first), ...others.map(change)] as const;
  const report = createShadowReport({ clock, log, meter: metrics.addShadow(), usage });
  const shadow = createShadow({ share, forms, clock, thread, report, pauseMs });
  const observe = share === 0 ? {} : { observe: shadow.observe };
  const gateway = await createTestGateway({ forms, clock, usage, ...observe, ...(source && { source }) });
  return {
    gateway,
    shadow,
    usage,
    /** The log of the comparisons alone. */
    log,
    /** Sends a GET below `/api/v1` with the form's full key, whatever its contract says. */
    async get(form: ComparedForm, path: string): Promise<number> {
      return (await getDecoded(gateway.port, `/api/v1${path}`, fullKeys[form].text)).status;
    },
    /** Resolves when every answer so far was compared. */
    async settled() {
      // A reply reaches its client a little before the gateway knows that it was sent.
      await gateway.send('/api/v1/health');
      await shadow.settled();
    },
    /** How often each verdict was given, why comparisons failed, and which rows differed. */
    verdicts: async () => samplesOf(await metrics.read(), 'gateway_shadow_comparisons_total', 'verdict'),
    failures: async () => samplesOf(await metrics.read(), 'gateway_shadow_failures_total', 'reason'),
    rows: async () => samplesOf(await metrics.read(), 'gateway_shadow_differences_total', 'row'),
    async close() {
      await shadow.close();
      await gateway.close();
    },
  };
};

export type ShadowGateway = Awaited<ReturnType<typeof createShadowGateway>>;

/** Requests that show every kind of item, with and without history, in every selection of members. */
export const shadowRequests: readonly (readonly [ComparedForm, string])[] = [
  ['current', '/artists?limit=100'],
  ['current', '/artists?include=history'],
  ['current', '/artists/art_0dk5mb'],
  ['current', '/added?days=30'],
  ['current', '/spikes?days=7'],
  ['current', '/signings'],
  ['variant', '/artists?limit=200'],
  ['variant', '/artists?fields=basic'],
  ['variant', '/artists?new=30'],
  ['variant', '/spikes?days=7'],
  ['variant', '/signings'],
];
