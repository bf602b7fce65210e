import { Agent as HttpAgent, request as openHttp } from 'node:http';
import { Agent as HttpsAgent, request as openHttps } from 'node:https';
import type { FormName } from '../../../src/domain/caller.ts';
import type { KeyKind } from '../cases/cases.ts';
import type { ReceivedResponse, Request, SendRequest } from '../cases/send-request.ts';

/** How requests get their keys. */
export interface Credentials {
  textOf(form: FormName, kind: KeyKind): string | undefined;
  /** Whether the form has to be asked for, because the key is pinned to another one or nobody knows. */
  choosesForm(form: FormName, kind: KeyKind): boolean;
}

export interface Client {
  readonly ask: SendRequest;
  close(): void;
}

const toHeaders = ({ form, key, headers }: Request, credentials: Credentials): Record<string, string> => {
  const text = credentials.textOf(form, key);
  return {
    ...headers,
    ...(text === undefined ? {} : { Authorization: `Bearer ${text}` }),
    ...(credentials.choosesForm(form, key) ? { 'X-Envelope': form } : {}),
  };
};

/** The longest a reply may take. */
const patienceMs = 30_000;

/** A client of one gateway, over kept connections. Rejects when there is no reply. */
export const createClient = (baseUrl: URL, credentials: Credentials): Client => {
  const isSecure = baseUrl.protocol === 'https:';
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const open = isSecure ? openHttps : openHttp;
  const root = baseUrl.href.replace(/\/$/, '');

  const ask: SendRequest = (asked) =>
    new Promise<ReceivedResponse>((resolve, reject) => {
      const options = { agent, method: asked.method, headers: toHeaders(asked, credentials), timeout: patienceMs };
      const sent = open(`${root}${asked.path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(headers), text });
        });
      });
      sent.on('timeout', () => sent.destroy(new Error(`${root} did not answer within ${patienceMs / 1000} seconds`)));
      sent.on('error', reject);
      sent.end();
    });

  return { ask, close: () => agent.destroy() };
};
