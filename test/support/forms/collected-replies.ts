import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import type { UsageEvent } from '../../../src/usage/counter.ts';
import type { TestGateway } from '../gateway.ts';
import type { LogEntry } from '../log.ts';
import type { RawReply } from '../raw.ts';
import { until } from '../wait.ts';
import { keys } from './form-keys.ts';
import { clientText, type ExpectedRequest, situationsOf } from './situations.ts';

/** A response, and what its request left in the gateway. */
export interface CollectedReply extends ExpectedRequest {
  readonly name: string;
  readonly reply: RawReply;
  readonly log: readonly LogEntry[];
  readonly usage: readonly UsageEvent[];
  /** Units of each window of the key's form, shortest first. */
  readonly units: readonly number[];
  readonly now: number;
}

/** The units that are used of each window; none when the quota store is down. */
const unitsUsed = ({ gateway }: TestGateway, form: ComparedForm, { key = keys[form].full }: ExpectedRequest) => {
  const { id, organizationId } = key.record;
  const windows = form === 'current' ? (['minute', 'day'] as const) : (['hour'] as const);
  const subject = form === 'current' ? `organization:${organizationId}` : `key:${id}`;
  const limit = Number.MAX_SAFE_INTEGER;
  return Promise.all(
    windows.map((window) =>
      gateway.quotas.read({ window, limit, subject }, Number.POSITIVE_INFINITY).then(
        ({ used }) => used,
        () => 0,
      ),
    ),
  );
};

/** Sends the requests of every situation of a form. */
export const collectReplies = async (form: ComparedForm): Promise<readonly CollectedReply[]> => {
  const collected: CollectedReply[] = [];
  for (const { open, requests } of situationsOf(form)) {
    const usage: UsageEvent[] = [];
    const gateway = await open({ usage: { count: (event) => void usage.push(event) } });
    const { entries } = gateway.log;
    for (const request of requests) {
      const { method, path, key, text = key?.text, outcome } = request;
      const before = { units: await unitsUsed(gateway, form, request), lines: entries.length, events: usage.length };
      const headers = {
        ...request.headers,
        'X-Request-Id': clientText,
        'User-Agent': clientText,
        Origin: 'https://a.test',
      };
      const reply = await gateway.send(path, text === '' ? undefined : text, { method, headers });
      await until('it is logged', () => entries.slice(before.lines).some(({ event }) => event === 'request'));
      collected.push({
        ...request,
        name: `${method ?? 'GET'} ${path.slice(0, 60)}: ${outcome}`,
        reply,
        log: entries.slice(before.lines),
        usage: usage.slice(before.events),
        units: (await unitsUsed(gateway, form, request)).map((used, index) => used - (before.units[index] ?? 0)),
        now: gateway.clock.now(),
      });
    }
    await gateway.close();
  }
  return collected;
};
