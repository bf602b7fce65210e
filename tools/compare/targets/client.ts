import { type IncomingMessage, request as openHttp } from 'node:http';
import { request as openHttps } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { describeFailure } from '../../../src/runtime/store-error.ts';
import type { ComparedForm } from '../../migration/mapping/forms.ts';
import {
  type ComparisonRequest,
  type ReceivedResponse,
  requestIdentity,
  type SendRequest,
} from '../cases/send-request.ts';
import type { KeyKind } from './ephemeral-keys.ts';

interface SentKey {
  readonly text?: string | undefined;
  /**
   * True if the request names its form in `X-Envelope`, because the key is pinned to another form
   * or its form is unknown.
   */
  readonly choosesForm?: boolean;
}

type FindKey = (form: ComparedForm, kind: KeyKind) => SentKey;

const toHeaders = (
  { form, key, headers }: ComparisonRequest,
  findKey: FindKey,
): Record<string, string> => {
  const { text, choosesForm = false } = findKey(form, key);
  return {
    ...headers,
    ...(text !== undefined && { Authorization: `Bearer ${text}` }),
    ...(choosesForm && { 'X-Envelope': form }),
  };
};

/** Idle timeout of a connection; the request then fails. */
const timeoutMs = 30_000;

/**
 * Sends requests to one gateway, over connections that are kept and do not keep the process alive.
 * Rejects when the gateway does not answer.
 */
export const createClient = (baseUrl: URL, findKey: FindKey): SendRequest => {
  const open = baseUrl.protocol === 'https:' ? openHttps : openHttp;
  const root = baseUrl.href.replace(/\/$/, '');
  return async (request) => {
    const options = {
      method: request.method,
      headers: toHeaders(request, findKey),
      timeout: timeoutMs,
    };
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = open(`${root}${request.path}`, options)
          .on('response', resolve)
          .on('error', reject);
        sent.on('timeout', () =>
          sent.destroy(new Error(`no reply within ${timeoutMs / 1000} seconds`)),
        );
        sent.end();
      });
      const text = (await buffer(response)).toString();
      const headers = Object.entries(response.headers).map(([name, value]) => [
        name,
        String(value),
      ]);
      return { status: response.statusCode ?? 0, headers: Object.fromEntries(headers), text };
    } catch (cause) {
      const reason = describeFailure(cause);
      // A reset connection may lose what was received before.
      const text =
        reason === 'connection lost' ? 'cut its answer short.' : `does not answer: ${reason}`;
      throw new Error(`${root} ${text}`, { cause });
    }
  };
};

export type WaitToRetry = (form: ComparedForm, seconds: number) => Promise<void>;

/**
 * Raised when no more requests can be sent: a quota is used up for too long, or a key is refused.
 * The message gives advice.
 */
export class RunEnded extends Error {}

/** Maximum wait before a failed request is repeated, in seconds; a gateway sends 5 at most. */
const maxFailureWaitSeconds = 60;

/**
 * Repeats a request after 429, and once after 5xx, when the seconds of `Retry-After` have passed:
 * at least one, because a proxy might send 0. Raises `RunEnded` if 429 asks for more than
 * `maxWaitSeconds`.
 */
export const withRetryAfter = (
  send: SendRequest,
  wait: WaitToRetry,
  maxWaitSeconds: number,
): SendRequest => {
  return async (request) => {
    let hasFailed = false;
    for (;;) {
      const reply = await send(request);
      const { status } = reply;
      const seconds = Math.max(1, Number(reply.headers['retry-after'] ?? Number.NaN));
      const isTemporary: boolean =
        status >= 500 && !hasFailed && seconds <= Math.min(maxWaitSeconds, maxFailureWaitSeconds);
      if ((status !== 429 && !isTemporary) || Number.isNaN(seconds)) return reply;
      hasFailed ||= isTemporary;
      if (seconds > maxWaitSeconds)
        throw new RunEnded(
          `The quota of the ${request.form} form is used up for ${seconds} seconds. Run it again then, or raise --max-wait.`,
        );
      await wait(request.form, seconds);
    }
  };
};

/**
 * Sends equal requests once until `forget` is called: quotas are scarce, and many cases request the
 * same list. A cache without bound: it holds the responses of one run.
 */
export const createResponseCache = (send: SendRequest) => {
  const replies = new Map<string, Promise<ReceivedResponse>>();
  return {
    send(request: ComparisonRequest) {
      const cacheKey = requestIdentity(request);
      const reply = replies.get(cacheKey) ?? send(request);
      replies.set(cacheKey, reply);
      return reply;
    },
    sendAgain: send,
    forget: () => replies.clear(),
  };
};
