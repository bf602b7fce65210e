import type { FormName } from '../../src/domain/caller.ts';
import type { Clock, Log, Meter, RequestOutcome } from '../../src/ports.ts';
import type { UsageMeter } from '../../src/usage/counter.ts';
import type { ParameterUses } from '../forms/parameter-usage.ts';
import { keyOwnerOf, type RequestContext } from './request-context.ts';
import { readQuery } from './request-target.ts';
import type { Reply, SendResult } from './send.ts';

/**
 * Minimum time between two log lines about clients, in milliseconds. Many clients must not fill the
 * log.
 */
const minLogIntervalMs = 10_000;

/** Creates a function that returns true at most once in ten seconds. */
export const createLogLimit = (clock: Clock): (() => boolean) => {
  let nextAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.elapsed();
    if (now < nextAt) return false;
    nextAt = now + minLogIntervalMs;
    return true;
  };
};

/**
 * Creates a function that counts connections closed over a limit. Logs a warning with the number
 * since the previous warning.
 */
export const createCountedWarning = (clock: Clock, log: Log, event: string, limit: number) => {
  const mayLog = createLogLimit(clock);
  let closed = 0;
  return (): void => {
    closed += 1;
    if (!mayLog()) return;
    log.warn({ closed, limit }, event);
    closed = 0;
  };
};

/** The outcome of a request whose reply has been sent. */
export const outcomeOf = (
  request: RequestContext,
  { status }: Reply,
  { bytes, failure }: SendResult,
  ms: number,
): RequestOutcome => {
  const { requestId, traceId, form, route, adjusted = [], quota, shed, rejection } = request;
  const issued = keyOwnerOf(request.authentication);
  return {
    requestId,
    traceId,
    key: issued?.id,
    organization: issued?.organizationId,
    form: form.name,
    route: route?.path,
    status,
    code: request.code ?? rejection?.code,
    ms,
    bytes,
    adjusted,
    refusedBy: quota?.refusal?.allowance.window,
    shed,
    cutShort: failure !== undefined,
  };
};

/**
 * The outcome of a request without a form: a page of the reference, or a request that the HTTP
 * parser rejected.
 */
export const anonymousOutcome = (
  form: FormName,
  { status, headers }: Reply,
  members: Partial<RequestOutcome>,
): RequestOutcome => ({
  requestId: headers['X-Request-Id'] ?? '',
  form,
  status,
  ms: 0,
  bytes: 0,
  adjusted: [],
  ...members,
});

/** Writes a log line for a request and records it in the metrics. */
export const logRequest = (outcome: RequestOutcome, log: Log, meter: Meter | undefined): void => {
  const { requestId, traceId, key, organization, form, route, status, code, bytes } = outcome;
  const { reason } = outcome;
  const ms = Math.round(outcome.ms * 10) / 10;
  const adjusted = outcome.adjusted.length > 0;
  log.info(
    {
      requestId,
      traceId,
      key,
      organization,
      form,
      route,
      status,
      code,
      ms,
      bytes,
      adjusted,
      reason,
    },
    'request',
  );
  meter?.request(outcome);
};

/** Counts a request of a known key, regardless of its status. */
export const countUsage = (
  request: RequestContext,
  outcome: RequestOutcome,
  readUses: ParameterUses,
  usage: UsageMeter,
): void => {
  const { key, organization, form, status, ms, adjusted } = outcome;
  if (key === undefined || organization === undefined) return;
  const { route, target, quota } = request;
  usage.count({
    keyId: key,
    organizationId: organization,
    form,
    route: outcome.route,
    status,
    ms,
    uses: request.uses ?? (route === undefined ? [] : readUses(route, readQuery(target), adjusted)),
    // `undefined` if no unit was charged, or if the unit was refunded.
    quota: quota && (quota.refusal === undefined ? 'granted' : 'refused'),
  });
};
