import type { Form } from '../../../adapters/forms/form.ts';
import { forms as productForms } from '../../../adapters/forms/forms.ts';
import { createMetrics } from '../../../adapters/telemetry/metrics.ts';
import { createUsageCounter } from '../../../src/usage/counter.ts';
import { createShadow } from '../../../tools/compare/shadow/shadow.ts';
import type { ComparedForm } from '../../../tools/crosswalk/forms.ts';
import { createManualClock } from '../clock.ts';
import { createTestGateway, fullKeys, getDecoded, type TestGatewayOptions } from '../gateway.ts';
import { createMemoryLog } from '../log.ts';

interface ShadowGatewayOptions extends Pick<TestGatewayOptions, 'source'> {
  readonly isOn?: boolean;
  readonly change?: (form: Form) => Form;
  readonly intervalMs?: number;
}

const samplesOf = (
  text: string,
  name: string,
  label: string,
): Readonly<Partial<Record<string, number>>> =>
  Object.fromEntries(
    [...text.matchAll(new RegExp(`^${name}\\{${label}="(.*)"\\} (\\d+)$`, 'gm'))].map(
      ([, value = '', count]) => [value, Number(count)],
    ),
  );

/**
 * Starts a gateway that compares its answers with the other form, by default one after the other
 * without a pause.
 */
export const createShadowGateway = async (options: ShadowGatewayOptions = {}) => {
  const { isOn = true, change = (form) => form, intervalMs = 0, source } = options;
  const clock = createManualClock();
  const log = createMemoryLog();
  const metrics = createMetrics('test');
  const usage = createUsageCounter({ clock, instance: 'one' });
  const [first, ...others] = productForms;
  const forms = [change(first), ...others.map(change)] as const;
  const shadow = createShadow({ forms, clock, log, meter: metrics.addShadow(), usage, intervalMs });
  const observe = isOn ? { observe: shadow.observe } : {};
  const gateway = await createTestGateway({
    forms,
    clock,
    usage,
    ...observe,
    ...(source && { source }),
  });
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
    /** How often each verdict was given, and which rows differed. */
    verdicts: async () =>
      samplesOf(await metrics.read(), 'gateway_shadow_comparisons_total', 'verdict'),
    rows: async () => samplesOf(await metrics.read(), 'gateway_shadow_differences_total', 'row'),
    async close() {
      await shadow.close();
      await gateway.close();
    },
  };
};

export type ShadowGateway = Awaited<ReturnType<typeof createShadowGateway>>;

/**
 * Requests that show every kind of item, with and without history, in every selection of members.
 */
export const shadowRequests: readonly (readonly [ComparedForm, string])[] = [
  ['current', '/artists?limit=50'],
  ['current', '/artists?include=history'],
  ['current', '/artists/art_0dk5mb'],
  ['current', '/added?days=30'],
  ['current', '/spikes?days=7'],
  ['current', '/signings'],
  ['variant', '/artists?limit=50'],
  ['variant', '/artists?fields=basic&limit=50'],
  ['variant', '/artists?new=30'],
  ['variant', '/spikes?days=7'],
  ['variant', '/signings'],
];
