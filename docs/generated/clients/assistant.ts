/**
 * A server of the Model Context Protocol over stdin and stdout: an assistant (Claude, Cursor, VS
 * Code) asks the service through it. When it starts, it asks which form the key answers in and
 * reads the contract of that form: each route becomes a tool.
 *
 *   npm install @modelcontextprotocol/server@2.4.0 zod@4.6.7
 *   ARTIST_API_KEY=aik_… node assistant.ts
 *
 * Needs Node 22.18 or later, which runs TypeScript directly (assistant.mjs: Node 20.19). The
 * address is in ARTIST_API_URL. SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway
 * authors
 */

import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const url = (process.env['ARTIST_API_URL'] ?? 'http://127.0.0.1:3000').replace(/\/+$/, '');
const key = process.env['ARTIST_API_KEY']?.trim() ?? '';

/**
 * Characters of an answer that an assistant gets at once: some 10,000 tokens, from which on
 * assistants warn or cut.
 */
const partLength = 30_000;
/** Long answers that are kept for the rest of their parts. */
const maxKept = 10;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: object;
}

/** The members of an OpenAPI document that tools are made of. */
interface Contract {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get: {
          operationId: string;
          summary: string;
          description: string;
          parameters?: Parameter[];
        };
      }
    >
  >;
}

/** Sends one request with the key. Rejects where no whole answer came. */
const send = async (path: string) => {
  try {
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(url + path, { headers, signal: AbortSignal.timeout(30_000) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Error(`No answer from ${url}: ${cause instanceof Error ? cause.message : cause}`);
  }
};

/**
 * What a refusal says: the service's own sentence, the id that support asks for, and when to ask
 * again.
 */
const refusalText = ({ status, headers, text }: Awaited<ReturnType<typeof send>>): string => {
  const isJson = headers.get('Content-Type')?.startsWith('application/json');
  const body: { error?: string | { code: string; message: string }; message?: string } = isJson
    ? JSON.parse(text)
    : {};
  const { code, message } =
    typeof body.error === 'object' ? body.error : { code: body.error, message: body.message };
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  const time = Number.isNaN(seconds)
    ? ''
    : new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+/, '');
  return [
    `${status}${code === undefined ? '' : ` ${code}`}: ${message ?? text.slice(0, 300)}`,
    ...(time === '' ? [] : [`Ask again in ${seconds} seconds, at ${time}. Sooner is useless.`]),
    `request_id: ${headers.get('X-Request-Id')}`,
  ].join('\n');
};

const refused = (text: string): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text }],
});

/** Answers of more than one part by the path that was asked for, the last one last. */
const kept = new Map<string, string>();

/**
 * An answer from one of its characters on, to the end of the object that still fits into a part.
 */
const partOf = (path: string, text: string, from: number): CallToolResult => {
  const left = text.length - from;
  if (left <= partLength) return { content: [{ type: 'text', text: text.slice(from) }] };
  const end = text.lastIndexOf('},', from + partLength - 2) + 2;
  const to = end > from + 1 ? end : from + partLength;
  kept.delete(path);
  kept.set(path, text);
  for (const oldest of [...kept.keys()].slice(0, -maxKept)) kept.delete(oldest);
  const note = `This is a part of the answer: characters ${from} to ${to} of ${text.length}. For the next part, call the tool with the same arguments and "continue_at": ${to}. It costs no request.`;
  return { content: [text.slice(from, to), note].map((part) => ({ type: 'text', text: part })) };
};

const ask = async (path: string, from: number): Promise<CallToolResult> => {
  if (from > 0) {
    const text = kept.get(path) ?? '';
    if (from < text.length) return partOf(path, text, from);
    return refused(
      'There is no such part, or it is no longer kept: call the tool without continue_at.',
    );
  }
  const reply = await send(path);
  return reply.status === 200 ? partOf(path, reply.text, 0) : refused(refusalText(reply));
};

const continueAt = {
  type: 'integer',
  minimum: 1,
  description: 'Only for the next part of a long answer: the number that the last part ended with',
};

const toolServer = ({ info, paths }: Contract): McpServer => {
  const server = new McpServer(
    { name: info.title, version: info.version },
    { instructions: info.description },
  );
  for (const [template, { get }] of Object.entries(paths)) {
    const parameters = (get.parameters ?? []).filter((parameter) => parameter.in !== 'header');
    const described = parameters.map(({ name, description, schema, ...parameter }) => {
      const bound = parameter.in === 'path' ? { minLength: 1 } : {};
      return [name, { ...bound, ...schema, description }];
    });
    const inputSchema = z.fromJSONSchema({
      type: 'object',
      properties: { ...Object.fromEntries(described), continue_at: continueAt },
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    });
    const annotations = { readOnlyHint: true };
    const config = { title: get.summary, description: get.description, inputSchema, annotations };
    server.registerTool(get.operationId, config, (given) => {
      const { continue_at: from = 0, ...values } = Object(given);
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]));
      const query = new URLSearchParams();
      for (const { name, in: place } of parameters)
        if (place === 'query' && values[name] !== undefined) query.set(name, values[name]);
      return ask(query.size === 0 ? path : `${path}?${query}`, from);
    });
  }
  return server;
};

/** The contract of the form that the key answers in. Health says which, and costs no request. */
const readContract = async (): Promise<Contract> => {
  if (key === '') throw new Error('ARTIST_API_KEY is not set: it holds your key.');
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Error('ARTIST_API_KEY holds something that no key contains.');
  const form = (await send('/api/v1/health')).headers.get('X-Envelope-Served');
  const { status, text } = await send(
    form === 'variant' ? '/openapi.variant.json' : '/openapi.json',
  );
  if (status !== 200)
    throw new Error(`${url} has no contract: is ARTIST_API_URL the address of the service?`);
  return JSON.parse(text);
};

const contract = await readContract().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
serveStdio(() => toolServer(contract));
