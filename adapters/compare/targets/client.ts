import { request as openHttp } from 'node:http';
import { request as openHttps } from 'node:https';
import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import { describeFailure } from '../../../src/runtime/store-error.ts';
import type { KeyKind } from '../cases/cases.ts';
import {
  type ComparisonRequest,
  type ReceivedResponse,
  requestIdentity,
  type SendRequest,
} from '../cases/send-request.ts';

/** How requests get their keys. */
export interface Credentials {
  textOf(form: ComparedForm, kind: KeyKind): string | undefined;
  /** Whether the request names its form in `X-Envelope`: the key is pinned to another form, or its form is not known. */
  choosesForm(form: ComparedForm, kind: KeyKind): boolean;
}

const toHeaders = ({ form, key, headers }: ComparisonRequest, credentials: Credentials): Record<string, string> => {
  const text = credentials.textOf(form, key);
  return {
    ...headers,
    ...(text !== undefined && { Authorization: `Bearer ${text}` }),
    ...(credentials.choosesForm(form, key) && { 'X-Envelope': form }),
  };
};

/** Idle timeout of a connection; the request then fails. */
const timeoutMs = 30_000;

/**
 * Sends requests to one gateway, over connections that are kept and do not keep the process alive. Rejects when the gateway does
 * not answer.
 */
export const createClient = (baseUrl: URL, credentials: Credentials): SendRequest => {
  const open = baseUrl.protocol === 'https:' ? openHttps : openHttp;
  const root = baseUrl.href.replace(/\/$/, '');
  return (request) =>
    new Promise<ReceivedResponse>((resolve, reject) => {
      // A reset connection may lose what was received before.
      const fail = (cause: NodeJS.ErrnoException): void => {
        const isCut = cause.code === 'ECONNRESET' || cause.message === 'aborted';
        const text = isCut ? 'cut its answer short.' : `does not answer: ${describeFailure(cause)}`;
        reject(new Error(`${root} ${text}`, { cause }));
      };
      const options = { method: request.method, headers: toHeaders(request, credentials), timeout: timeoutMs };
      const sent = open(`${root}${request.path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => {
          const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(headers), text });
        });
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs / 1000} seconds`)));
      sent.on('error', fail);
      sent.end();
    });
};

/** Waits for the end of a quota window, `seconds` from now. */
export type WaitForQuota = (form: ComparedForm, seconds: number) => Promise<void>;

/** Raised when no more requests can be sent: a quota is spent for too long, or a key is refused. The message gives advice. */
export class RunEnded extends Error {}

/** Of all waits of a run together: one that waits longer mostly compares answers of different days. */
const maxWaitsSeconds = 6 * 3_600;

/**
 * Repeats a request that was answered 429, after the seconds of its `Retry-After`. Raises `RunEnded` when these are more than
 * `maxWaitSeconds`, or all waits together more than six hours.
 */
export const withRetryAfter = (send: SendRequest, wait: WaitForQuota, maxWaitSeconds: number): SendRequest => {
  let waited = 0;
  return async (request) => {
    for (;;) {
      const reply = await send(request);
      const seconds = Number(reply.headers['retry-after'] ?? Number.NaN);
      if (reply.status !== 429 || Number.isNaN(seconds)) return reply;
      if (seconds > maxWaitSeconds) {
        throw new RunEnded(
          `The quota of the ${request.form} form is spent for ${seconds} seconds: ask again then, or allow more with --max-wait.`,
        );
      }
      waited += seconds;
      if (waited > maxWaitsSeconds) {
        throw new RunEnded(
          `The quota of the ${request.form} form makes this run wait for more than six hours: give a key with a higher quota, or choose fewer cases with --case.`,
        );
      }
      await wait(request.form, seconds);
    }
  };
};

/**
 * Sends equal requests once: quotas are scarce, and many cases request the same list. A cache without bound: it holds the
 * responses of one run.
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
    clear: () => replies.clear(),
  };
};

export type ResponseCache = ReturnType<typeof createResponseCache>;
