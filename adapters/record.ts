import type { FormName } from '../src/caller.ts';
import type { Log, Meter, Outcome } from '../src/ports.ts';
import { callerOf, type Exchange } from './exchange.ts';
import type { WholeReply } from './refusal.ts';
import type { Reply, Sent } from './send.ts';

/** What became of a request, once its reply has been sent. */
export const outcomeOf = (exchange: Exchange, { status }: Reply, { bytes, failure }: Sent, ms: number): Outcome => {
  const { requestId, form, route, adjusted = [], receipt, shed } = exchange;
  const caller = callerOf(exchange);
  return {
    requestId,
    key: caller?.key.id,
    organization: caller?.organization.id,
    form: form.name,
    route: route?.path,
    status,
    ms,
    bytes,
    adjusted,
    refusedBy: receipt?.refusal?.allowance.window,
    shed,
    cutShort: failure !== undefined,
    reason: undefined,
  };
};

/** What belongs to no caller: nothing was spent, nothing was read, and nobody is known. */
const ofNobody = {
  key: undefined,
  organization: undefined,
  adjusted: [],
  refusedBy: undefined,
  shed: false,
} as const;

/** What became of a request for a page of the reference; there are only so many pages. */
export const pageOutcome = (
  path: string,
  form: FormName,
  { status, headers }: Reply,
  sent: Sent,
  ms: number,
): Outcome => ({
  ...ofNobody,
  requestId: headers['X-Request-Id'] ?? '',
  form,
  route: path,
  status,
  ms,
  bytes: sent.bytes,
  cutShort: sent.failure !== undefined,
  reason: undefined,
});

/** What became of a request that the HTTP parser refused, for a reason out of its fixed list. */
export const refusedOutcome = (requestId: string, form: FormName, reply: WholeReply, reason: string): Outcome => ({
  ...ofNobody,
  requestId,
  form,
  route: undefined,
  status: reply.status,
  ms: 0,
  bytes: reply.body.length,
  cutShort: false,
  reason,
});

/** Tells log and metrics of a request: one line, whatever came of it. */
export const report = (outcome: Outcome, log: Log, meter?: Meter): void => {
  const { requestId, key, organization, form, route, status, ms, bytes, adjusted, reason } = outcome;
  const facts = { requestId, key, organization, form, route, status, ms: Math.round(ms * 10) / 10, bytes };
  log.info({ ...facts, adjusted: adjusted.length > 0, ...(reason && { reason }) }, 'request');
  meter?.request(outcome);
};
