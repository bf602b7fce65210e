/**
 * An MCP server over stdin and stdout: an assistant (Claude, Cursor, VS Code) calls the service
 * through it. At its start it reads the contract of the key's form: each route becomes a tool. While
 * the service is down there is one tool, which tries again.
 *
 *   npm install --prefix . @modelcontextprotocol/server@2.4.0 zod@4.6.7
 *   ARTIST_API_KEY=aik_… node assistant.ts
 *
 * Needs Node 22.18, which runs TypeScript directly (assistant.mjs: Node 20.19). ARTIST_API_URL sets
 * the address. SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
 */

import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import {
  ApiError,
  end,
  healthPath,
  isRecord,
  partialHistory,
  type Reply,
  Service,
  SettingError,
} from '../shared/http.ts';

/** Characters per part of a response: 10,000 tokens, above which assistants warn or cut. */
const partLength = 30_000;
/** Long responses that are kept for their other parts. */
const maxKept = 10;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: z.core.JSONSchema.JSONSchema;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
}

/** The form of an OpenAPI document, and the fields that tools are made of. */
interface Contract {
  readonly form: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
}

const texts = (...parts: readonly string[]): Pick<CallToolResult, 'content'> => ({
  content: parts.map((text) => ({ type: 'text', text })),
});

const refused = (
  { message, requestId, retryAfter }: ApiError,
  advice: readonly string[] = [],
): CallToolResult => {
  const lines = [message, ...advice];
  if (retryAfter !== undefined) lines.push(`Retry in ${retryAfter} seconds, not earlier.`);
  if (requestId !== '' && !message.includes(requestId)) lines.push(`request_id: ${requestId}`);
  return { isError: true, ...texts(lines.join('\n')) };
};

/** The text of a response, and the warnings with each of its parts. */
interface Answer {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Responses of more than one part by their path, the latest last. */
const kept = new Map<string, Answer>();

/** A part of a response from a character on, with whole objects. */
const partOf = (path: string, answer: Answer, from: number): CallToolResult => {
  const { text, warnings } = answer;
  const left = text.length - from;
  if (left <= partLength) return texts(text.slice(from), ...warnings);
  const end = text.lastIndexOf('},', from + partLength - 2) + 2;
  const isInPair = /[\ud800-\udbff]/.test(text.charAt(from + partLength - 1));
  const to = end > from + 1 ? end : from + partLength - Number(isInPair);
  kept.delete(path);
  kept.set(path, answer);
  for (const oldest of [...kept.keys()].slice(0, -maxKept)) kept.delete(oldest);
  const note = `This is a part of the response: characters ${from} to ${to} of ${text.length}. For the next part, call the tool with the same arguments and "continue_at": ${to}. It costs no request.`;
  return texts(text.slice(from, to), note, ...warnings);
};

const request = async (service: Service, path: string, form: string): Promise<Reply | ApiError> => {
  const reply = await service.send(path);
  const served = reply.headers.get('X-Envelope-Served') ?? form;
  // Health is the same in both forms. 401 and 503 of an unknown key, and 431 of every key, have the
  // current form.
  const isRefused = [401, 431].includes(reply.status) || reply.status >= 500;
  if (served !== form && path !== healthPath && !isRefused)
    return new ApiError(
      `This key now has the ${served} form, and these tools have the ${form} form: restart the assistant.`,
    );
  return reply.status === 200 && reply.body !== undefined ? reply : service.errorOf(reply);
};

/** Spikes without those of artists with signings. */
const unsignedOf = (bodies: readonly unknown[]): string => {
  const [spikes = [], signings = []] = bodies.map((body) =>
    isRecord(body) && Array.isArray(body['data']) ? body['data'].filter(isRecord) : [],
  );
  const signed = new Set(signings.map(({ artist_id: id }) => id));
  return JSON.stringify({ data: spikes.filter(({ artist_id: id }) => !signed.has(id)) });
};

/** Calls one path, or two that are joined, or returns the next part of a response. */
const ask = async (
  service: Service,
  paths: readonly string[],
  from: number,
  form: string,
): Promise<CallToolResult> => {
  const name = paths.join(' ');
  if (from > 0) {
    const answer = kept.get(name);
    if (answer !== undefined && from < answer.text.length) return partOf(name, answer, from);
    const advice = 'call the tool without continue_at.';
    return refused(new ApiError(`This part does not exist, or is no longer kept: ${advice}`));
  }
  const replies: Reply[] = [];
  const warnings: string[] = [];
  const add = (result: CallToolResult): CallToolResult => ({
    ...result,
    content: [...result.content, ...texts(...notices.splice(0)).content],
  });
  for (const path of paths) {
    const reply = await request(service, path, form);
    if (reply instanceof ApiError) {
      if (reply.code === 'not_found' && path.startsWith('/api/v1/artists/'))
        warnings.push('If this is a name, find its id with listArtists and "name".');
      return add(refused(reply, warnings));
    }
    if (/\/artists\/|[?&]include=history\b/.test(path) && !reply.headers.has('ETag'))
      warnings.push(partialHistory);
    replies.push(reply);
  }
  const bodies = replies.map(({ body }) => body);
  const text = bodies.length === 1 ? (replies[0]?.text ?? '') : unsignedOf(bodies);
  return add(partOf(name, { text, warnings }, 0));
};

/** Lines about the end of the key or its form that no tool has returned yet. */
const notices: string[] = [];

const continueAt = {
  type: 'integer' as const,
  minimum: 1,
  description: 'Only for the next part of a long response: the number at the end of the last part',
};

/** A text of the contract without its sentences about headers, which no tool sends. */
const withoutHeaders = (text: string): string =>
  text
    .split('\n\n')
    .map((part) => part.split(/(?<=\.) /).filter((sentence) => !headerName.test(sentence)))
    .filter((sentences) => sentences.length > 0)
    .map((sentences) => sentences.join(' '))
    .join('\n\n');
const headerName = /`(?:If-None-Match|ETag|Authorization|Accept-Encoding)/;

/** An argument with the type of the contract: assistants send digits for a number, or a number for digits. */
const typed = (value: unknown, type: unknown): unknown => {
  if (typeof value === 'number' && type === 'string' && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
    return String(value); // a larger number has lost digits
  if (typeof value !== 'string') return value;
  if (type === 'integer' && /^[0-9]{1,15}$/.test(value)) return Number(value);
  return type === 'boolean' && /^(?:true|false)$/i.test(value) ? /^t/i.test(value) : value;
};

/** What n8n adds to the arguments of every tool. */
const added = ['toolCallId', 'sessionId', 'action', 'chatInput'];

/** Arguments without additions of n8n and missing ones, which assistants send as `null`, "" or 0. */
const understood = (given: unknown, types: ReadonlyMap<string, unknown>): unknown =>
  Object.fromEntries(
    Object.entries(Object(given)).flatMap(([name, sent]) => {
      const value = typed(sent, types.get(name));
      const isLeftOut =
        value === null ||
        value === '' ||
        (name === 'continue_at' && value === 0) ||
        (added.includes(name) && !types.has(name));
      return isLeftOut ? [] : [[name, value]];
    }),
  );

const unsigned = {
  operationId: 'listUnsignedSpikes',
  summary: 'List spikes of unsigned artists',
  description:
    'Returns the spikes of artists without a signing and without a song of a tracked label: spikes without the artists of listSignings. Uses two requests.',
};

const addTools = (
  server: McpServer,
  service: Service,
  { form, paths }: Contract,
): readonly string[] => {
  const spikes = paths['/api/v1/spikes']?.get;
  const routes = Object.entries(paths);
  if (form === 'current' && spikes)
    routes.push(['/api/v1/spikes', { get: { ...spikes, ...unsigned } }]);
  return routes.map(([template, { get }]) => {
    const parameters = (get.parameters ?? []).filter((parameter) => parameter.in !== 'header');
    const described = parameters.map(({ name, description = '', schema, ...parameter }) => {
      const bound = parameter.in === 'path' ? { minLength: 1 } : {};
      return [name, { ...bound, ...schema, description: withoutHeaders(description) }] as const;
    });
    const properties = { ...Object.fromEntries(described), continue_at: continueAt };
    const types = new Map(Object.entries(properties).map(([name, { type }]) => [name, type]));
    const schema = z.fromJSONSchema({
      type: 'object',
      properties,
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    });
    const config = {
      title: get.summary,
      description: withoutHeaders(get.description),
      inputSchema: z.preprocess((given) => understood(given, types), schema),
      annotations: { readOnlyHint: true },
    };
    server.registerTool(get.operationId, config, async (given) => {
      const { continue_at: from = 0, ...values } = Object(given);
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]));
      const query = new URLSearchParams();
      for (const { name, in: place } of parameters)
        if (place === 'query' && values[name] !== undefined) query.set(name, values[name]);
      const asked = [query.size === 0 ? path : `${path}?${query}`];
      if (get.operationId === unsigned.operationId) asked.push('/api/v1/signings');
      return ask(service, asked, from, form);
    });
    return get.operationId;
  });
};

/** The contract of the key's form, which the response of health names without using the quota. */
const readContract = async (service: Service): Promise<Contract> => {
  const health = await service.send(healthPath);
  const form = health.headers.get('X-Envelope-Served') === 'variant' ? 'variant' : 'current';
  const reply = await service.send(form === 'variant' ? '/openapi.variant.json' : '/openapi.json');
  if (reply.status === 404) {
    const advice = 'is ARTIST_API_URL the address of the service?';
    throw new ApiError(`${service.url} has no contract: ${advice}`, reply);
  }
  const { info, paths } = isRecord(reply.body) ? reply.body : {};
  if (reply.status !== 200 || !isRecord(info) || !isRecord(paths)) throw service.errorOf(reply);
  return { ...(reply.body as Contract), form }; // the service's own document
};

/** Adds the tool for a service that is down. Desktop applications hide a program that ends. */
const addConnect = (server: McpServer, service: Service, why: string): void => {
  const config = {
    title: 'Connect to the service',
    description: `Call this to try again: the service was unreachable at the start. ${why}`,
  };
  const tool = server.registerTool('connect', config, async () => {
    const contract = await readContract(service);
    tool.remove();
    const names = addTools(server, service, contract).join(', ');
    return texts(
      `The service is there, with the tools ${names}. Restart the assistant if you lack them.`,
    );
  });
};

try {
  const service = new Service('assistant.ts', { notice: (text) => notices.push(text) });
  const contract = await readContract(service).catch((failure: Error) => failure);
  if (contract instanceof ApiError && contract.status === 404) end(contract.message);
  serveStdio(() => {
    if (contract instanceof Error) {
      const server = new McpServer({ name: 'Artist Intelligence API', version: '1.0.0' });
      addConnect(server, service, contract.message);
      return server;
    }
    const { title: name, version, description } = contract.info;
    const server = new McpServer({ name, version }, { instructions: withoutHeaders(description) });
    addTools(server, service, contract);
    return server;
  });
} catch (failure) {
  if (!(failure instanceof SettingError)) throw failure;
  end(failure.message);
}
