import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createEmbeddedKeys } from '../../adapters/stores/embedded/keys.ts';
import type { FormName } from '../../src/domain/caller.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { createTestGateway } from './gateway.ts';
import type { RawReply } from './raw.ts';

/** A question as the cases and the golden files write it down. */
export const askedExchange = z.strictObject({
  request: z.strictObject({
    /** GET unless it says otherwise. */
    method: z.string().optional(),
    path: z.string(),
    headers: z.record(z.string(), z.string()).optional(),
    /** The request is made so many times, and the last response is the one that counts. */
    times: z.int().optional(),
    /** Seconds between two of them. */
    every: z.int().optional(),
  }),
  /** The id of a key of the fixtures, or `null` for none. */
  as: z.string().nullable(),
});

export type AskedExchange = z.infer<typeof askedExchange>;

/** A question and its answer; a response without a body has the body `null`. */
export const goldenExchange = z.strictObject({
  ...askedExchange.shape,
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.unknown(),
});

export type GoldenExchange = z.infer<typeof goldenExchange>;

const exchangeFolder = join(fixtureFolder, '..', 'exchanges');

export const exchangeFile = (form: FormName, name: string): string => join(exchangeFolder, form, `${name}.json`);

/** The names of a form's golden exchanges. */
export const exchangeNames = (form: FormName): string[] =>
  readdirSync(join(exchangeFolder, form)).map((file) => file.replace(/\.json$/, ''));

export const readExchange = (form: FormName, name: string): GoldenExchange =>
  goldenExchange.parse(JSON.parse(readFileSync(exchangeFile(form, name), 'utf8')));

/** Stands where a response has its request id. */
export const requestIdPlaceholder = '<request id>';

const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Headers that Node adds on the way, and that say nothing about the answer. */
const ofTheConnection = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];

/** What a response says: request ids replaced wherever they stand, the body as the exact text. */
export interface Observed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const observe = ({ status, headers, rawHeaders, text }: RawReply): Observed => {
  const id = headers['x-request-id'];
  if (typeof id !== 'string' || !requestId.test(id)) throw new Error(`X-Request-Id is ${id}`);
  const named: [string, string][] = [];
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const [name = '', value = ''] = rawHeaders.slice(place, place + 2);
    if (ofTheConnection.includes(name.toLowerCase())) continue;
    if (named.some(([known]) => known === name)) throw new Error(`${name} was sent twice`);
    named.push([name, value.replace(id, requestIdPlaceholder)]);
  }
  return { status, headers: Object.fromEntries(named), text: text.replaceAll(id, requestIdPlaceholder) };
};

const keys = createEmbeddedKeys(fixtureFolder);

const textOf = async (id: string): Promise<string> => {
  const known = (await keys.demoKeys()).find(({ key }) => key.id === id);
  if (known === undefined) throw new Error(`${id} is no demo key of the fixtures`);
  return known.text;
};

/** Puts a question to a gateway of its own over the fixtures, with no quota spent, at the test clock's instant. */
export const replay = async ({ request, as }: AskedExchange): Promise<Observed> => {
  const { method, path, headers, times = 1, every = 0 } = request;
  const gateway = await createTestGateway({ keys });
  const key = as === null ? undefined : await textOf(as);
  for (let turn = 1; turn < times; turn++) {
    await gateway.send(path, key, { method, headers });
    gateway.clock.advance(every * 1000);
    await Promise.all([gateway.gateway.keys.refresh(), gateway.gateway.catalogue.refresh()]);
  }
  const observed = observe(await gateway.send(path, key, { method, headers }));
  await gateway.close();
  return observed;
};
