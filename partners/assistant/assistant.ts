/**
 * A server of the Model Context Protocol over stdin and stdout: an assistant (Claude, Cursor, VS
 * Code) asks the service through it. When it starts, it asks which form the key answers in and
 * reads the contract of that form: each route becomes a tool. While the service is away there is one
 * tool, which tries again.
 *
 *   npm install --prefix . @modelcontextprotocol/server@2.4.0 zod@4.6.7
 *   ARTIST_API_KEY=aik_… node assistant.ts
 *
 * Needs Node 22.18 or later, which runs TypeScript directly (assistant.mjs: Node 20.19). The
 * address is in ARTIST_API_URL. SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway
 * authors
 */

import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { ApiError, end, isRecord, type Reply, Service, SettingError } from '../shared/http.ts';

/**
 * Characters of an answer that an assistant gets at once: some 10,000 tokens, from which on
 * assistants warn or cut.
 */
const partLength = 30_000;
/** Long answers that are kept for the rest of their parts. */
const maxKept = 10;
const healthPath = '/api/v1/health';
/** Said of an answer with histories that has no ETag, in the words of the clients. */
const partialHistory = 'history: the service cannot read a part of it: points are missing';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: z.core.JSONSchema.JSONSchema;
}

/** The members of an OpenAPI document that tools are made of, and the form that it describes. */
interface Contract {
  readonly form: string;
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

const texts = (...parts: readonly string[]): Pick<CallToolResult, 'content'> => ({
  content: parts.map((text) => ({ type: 'text', text })),
});

/** What a refusal says, the id that support asks for, and when to ask again. */
const refused = (
  { message, requestId, retryAfter }: ApiError,
  advice: readonly string[] = [],
): CallToolResult => {
  const lines = [message, ...advice];
  if (retryAfter !== undefined)
    lines.push(`Ask again in ${retryAfter} seconds. Sooner is useless.`);
  if (requestId !== '' && !message.includes(requestId)) lines.push(`request_id: ${requestId}`);
  return { isError: true, ...texts(lines.join('\n')) };
};

/** The text of an answer, and what there is to say with each part of it. */
interface Answer {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Answers of more than one part by the path that was asked for, the last one last. */
const kept = new Map<string, Answer>();

/**
 * An answer from one of its characters on, to the end of the object that still fits into a part.
 */
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
  const note = `This is a part of the answer: characters ${from} to ${to} of ${text.length}. For the next part, call the tool with the same arguments and "continue_at": ${to}. It costs no request.`;
  return texts(text.slice(from, to), note, ...warnings);
};

/** The reply to a request, or the error that it is. */
const request = async (service: Service, path: string, form: string): Promise<Reply | ApiError> => {
  const reply = await service.send(path);
  const served = reply.headers.get('X-Envelope-Served') ?? form;
  // Health is the same in both forms. In the current form are 401 and 503 for an unknown key, and 431
  // for every key: the HTTP parser of the service refuses.
  const isRefused = [401, 431].includes(reply.status) || reply.status >= 500;
  if (served !== form && path !== healthPath && !isRefused)
    return new ApiError(
      `This key is now answered in the ${served} form, and these tools are of the ${form} form: restart the assistant, which then has the tools of the ${served} form.`,
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

/**
 * The answer to a path, or to two joined, or the next part of one, with what there is to say about
 * an end of the key or the form.
 */
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
    return refused(new ApiError(`There is no such part, or it is no longer kept: ${advice}`));
  }
  const replies: Reply[] = [];
  const extra: string[] = [];
  let error: ApiError | undefined;
  for (const path of paths) {
    const reply = await request(service, path, form);
    if (reply instanceof ApiError) {
      error = reply;
      if (reply.code === 'not_found' && path.startsWith('/api/v1/artists/'))
        extra.push('If this is a name, find its id with listArtists and "name".');
      break;
    }
    if (/\/artists\/|[?&]include=history\b/.test(path) && !reply.headers.has('ETag'))
      extra.push(partialHistory);
    replies.push(reply);
  }
  const [first] = replies;
  const result = error
    ? refused(error, extra)
    : partOf(
        name,
        {
          text:
            paths.length === 1 ? (first?.text ?? '') : unsignedOf(replies.map(({ body }) => body)),
          warnings: extra,
        },
        0,
      );
  return { ...result, content: [...result.content, ...texts(...notices.splice(0)).content] };
};

/** Lines about an end of the key or the form that no answer of a tool has told yet. */
const notices: string[] = [];

const continueAt = {
  type: 'integer' as const,
  minimum: 1,
  description: 'Only for the next part of a long answer: the number that the last part ended with',
};

/** A text of the contract without its sentences on headers, which no tool sends. */
const withoutHeaders = (text: string): string =>
  text
    .split('\n\n')
    .map((part) => part.split(/(?<=\.) /).filter((sentence) => !headerName.test(sentence)))
    .filter((sentences) => sentences.length > 0)
    .map((sentences) => sentences.join(' '))
    .join('\n\n');
const headerName = /`(?:If-None-Match|ETag|Authorization|Accept-Encoding)/;

/** An argument as the contract has its type: assistants send digits for a number, or a number for digits. */
const typed = (value: unknown, type: unknown): unknown => {
  if (typeof value === 'number' && type === 'string' && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
    return String(value); // an id of more digits has lost some
  if (typeof value !== 'string') return value;
  if (type === 'integer' && /^[0-9]{1,15}$/.test(value)) return Number(value);
  return type === 'boolean' && /^(?:true|false)$/i.test(value) ? /^t/i.test(value) : value;
};

/** What n8n adds to the arguments of every tool. */
const added = ['toolCallId', 'sessionId', 'action', 'chatInput'];

/**
 * Arguments without those of n8n, and those that are left out, which assistants send as `null`,
 * empty or 0.
 */
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

/** The tool that joins what two endpoints of the current form return. */
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

/** The contract of the form that the key answers in. Health says which, and costs no request. */
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

/** The tool there is while the service is away: desktops hide a program that ends. */
const addConnect = (server: McpServer, service: Service, why: string): void => {
  const config = {
    title: 'Connect to the service',
    description: `Call this to try again: the service could not be reached at the start. ${why}`,
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
