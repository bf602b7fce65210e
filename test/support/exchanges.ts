import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { formNames } from '../../adapters/forms/forms.ts';
import { createEmbeddedKeys } from '../../adapters/stores/embedded/keys.ts';
import type { FormName } from '../../src/domain/caller.ts';
import { fixtureFolder } from '../../src/runtime/folders.ts';
import { connectionHeaders } from './contract.ts';
import { demoKey } from './documents.ts';
import { createTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import type { RawReply } from './raw.ts';

/** A request and its response; a response without a body has the body `null`. */
const goldenExchange = z.strictObject({
  request: z.strictObject({
    path: z.string(),
    /** GET by default. */
    method: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    /** How many times the request is sent; the exchange records the last response. */
    times: z.int().optional(),
    /** Seconds between two requests. */
    every: z.int().optional(),
  }),
  /** The id of a key of the fixtures, or `null` for none. */
  as: z.string().nullable(),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.unknown(),
});

export type GoldenExchange = z.infer<typeof goldenExchange>;
type ExchangeRequest = Pick<GoldenExchange, 'request' | 'as'>;

/** An exchange that may have been written without a response, to be recorded. */
const exchangeToRecord = goldenExchange.partial({ status: true, headers: true, body: true });

const exchangeFolder = join(fixtureFolder, '..', 'exchanges');

export const exchangeFile = (form: FormName, name: string): string =>
  join(exchangeFolder, form, `${name}.json`);

/** The names of a form's golden exchanges. */
export const exchangeNames = (form: FormName): string[] =>
  readdirSync(join(exchangeFolder, form)).map((file) => file.replace(/\.json$/, ''));

const readJson = (form: FormName, name: string): unknown =>
  JSON.parse(readFileSync(exchangeFile(form, name), 'utf8'));

export const readExchange = (form: FormName, name: string): GoldenExchange =>
  goldenExchange.parse(readJson(form, name));

export const readExchangeToRecord = (form: FormName, name: string) =>
  exchangeToRecord.parse(readJson(form, name));

/** Replaces the request id in a recorded response. */
export const requestIdPlaceholder = '<request id>';

/** A random UUID. */
export const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A response with its request id replaced, in headers and body. */
const observe = ({ status, headers, rawHeaders, text }: RawReply) => {
  const id = headers['x-request-id'];
  if (typeof id !== 'string' || !requestId.test(id)) throw new Error(`X-Request-Id is ${id}`);
  const named: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (connectionHeaders.includes(name.toLowerCase())) continue;
    if (named.some(([known]) => known === name)) throw new Error(`${name} was sent twice`);
    named.push([name, value.replace(id, requestIdPlaceholder)]);
  }
  return {
    status,
    headers: Object.fromEntries(named),
    text: text.replaceAll(id, requestIdPlaceholder),
  };
};

const keys = createEmbeddedKeys(fixtureFolder, formNames, { sandbox: true });

/** A gateway over the fixtures with their demo keys, which show their faults. */
export const openSandbox = async (options: TestGatewayOptions = {}): Promise<TestGateway> =>
  createTestGateway({ keys, demoFaults: await keys.demoFaults(), ...options });

/**
 * Sends a request to a new gateway over the fixtures, with fresh quotas, at the manual clock's
 * start; the last time by `sendLast`.
 */
export const sendExchange = async (
  { request, as }: ExchangeRequest,
  sendLast: (gateway: TestGateway, key: string | undefined) => Promise<RawReply>,
): Promise<RawReply> => {
  const { method, path, headers, times = 1, every = 0 } = request;
  const opened = await openSandbox();
  const { gateway, clock, send, close } = opened;
  const key = as === null ? undefined : demoKey(as);
  for (let turn = 1; turn < times; turn++) {
    await send(path, key, { method, headers });
    clock.advance(every * 1000);
    await Promise.all([gateway.keys.refresh(), gateway.catalogue.refresh()]);
  }
  const reply = await sendLast(opened, key);
  await close();
  return reply;
};

/** The response of such a gateway itself. */
export const replayExchange = async (exchange: ExchangeRequest) =>
  observe(
    await sendExchange(exchange, ({ send }, key) =>
      send(exchange.request.path, key, exchange.request),
    ),
  );
