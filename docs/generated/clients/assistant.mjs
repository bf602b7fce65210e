/**
 * A server of the Model Context Protocol over stdin and stdout: an assistant (Claude, Cursor, VS
 * Code) asks the service through it. When it starts, it asks which form the key answers in and
 * reads the contract of that form: each route becomes a tool. While the service is away there is one
 * tool, which tries again.
 *
 *   npm install --prefix . @modelcontextprotocol/server@2.4.0 zod@4.6.7
 *   ARTIST_API_KEY=aik_… node assistant.mjs
 *
 * Needs Node 22.18 or later, which runs TypeScript directly (assistant.mjs: Node 20.19). The
 * address is in ARTIST_API_URL. SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway
 * authors
 */

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

/*
 * What the programs of this service share: where the key goes, one request, waiting, errors,
 * notices.
 *
 *   const service = new Service('artist-api.mjs', { url, key });   SettingError, a TypeError, names what is wrong with
 *                                                                 an address or a key, and never has its text
 *   const reply = await service.send('/api/v1/health');           one request, whatever its status; ApiError where no
 *                                                                 whole answer came, or a redirect
 *   const reply = await service.ask('/api/v1/artists');           waits and asks again after 429, 5xx and lost
 *                                                                 connections; ApiError for all but 200 and 304
 *   reply.status, reply.headers, reply.text                       and reply.body, the parsed JSON, undefined where it is none
 *   service.errorOf(reply), service.quota                         the ApiError that a refusal is; what is left
 *   service.tellOnce(kind, text)                                  a notice, once for each kind
 *   printable(text)                                               one line without control characters
 *   run(main), parseArguments(options), end(text)                 a program: one line for ApiError, FileError and
 *                                                                 SettingError, and exit code 1
 *
 * Nothing but `run`, `parseArguments` and `end` ends the process.
 */

const version = '0.0.0';
const defaultUrl = 'http://127.0.0.1:3000';
const maxAttempts = 5;
/** Seconds. Node fires a timer of more than 2^31 - 1 ms at once. */
const longestTimer = 2_147_483;

/**
 * A text as one line: without control characters, line ends of Unicode, and marks that change the
 * direction of a line.
 */
const printable = (text) =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();

/** The text of a key, whole or cut: of it only the id may be printed. */
const keyText = /aik_([0-9A-Za-z]+)_[0-9A-Za-z]+/g;

const characterNames = new Map([
  ['\n', 'a line end'],
  ['\r', 'a line end'],
  [' ', 'a blank'],
  ['\t', 'a tab'],
  ['\u2026', 'an ellipsis'],
  ['\uFEFF', 'a byte order mark'],
  ...[...'\u201c\u201d\u201e\u2018\u2019'].map((quote) => [quote, 'a typographic quote']),
]);

/**
 * A key or an address that can be none. `message` names it and what is wrong with it, never its
 * text.
 */
class SettingError extends TypeError {}

/**
 * A key or address without the blanks around it. Throws a SettingError, which never has its text.
 */
const checkCharacters = (name, given) => {
  const text = given.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  if (text === '') throw new SettingError(`${name} is not set.`);
  const place = [...text].findIndex((character) => !/^[\x21-\x7e]$/.test(character));
  if (place === -1) return text;
  const character = [...text][place] ?? '';
  const code = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
  const kind = characterNames.get(character);
  const what = kind === undefined ? code : `${kind} (${code})`;
  throw new SettingError(
    `${name} has ${what} as its character ${place + 1}, which it cannot contain.`,
  );
};

/**
 * The address of the service, without a `/` at its end. Throws a SettingError, which never has its
 * text.
 */
const checkAddress = (name, given) => {
  const text = checkCharacters(name, given);
  if (!/^https?:\/\//i.test(text))
    throw new SettingError(`${name} does not begin with http:// or https://.`);
  const { hostname = '', port = '0' } = URL.canParse(text) ? new URL(text) : {};
  // A part of a name has 1 to 63 characters (RFC 1035, section 2.3.4).
  if (port === '0' || /^\.|\.\.|[^.]{64}/.test(hostname))
    throw new SettingError(`${name} has no valid host or port.`);
  if (/^[^/]*\/\/[^/?#]*@/.test(text))
    throw new SettingError(`${name} has a user or a password: the key is the only credential.`);
  if (/[?#]/.test(text)) throw new SettingError(`${name} has a query or a fragment.`);
  return text.replace(/\/+$/, '');
};

/**
 * A request without the answer that was asked for. `message` is one line, without control
 * characters.
 */
class ApiError extends Error {
  name = 'ApiError';
  /** 0 where no whole answer came. */
  status;
  /** `not_found` …; empty where the service did not write the answer. */
  code;
  /** For support; empty without one. */
  requestId;
  /** Seconds, as the answer says. */
  retryAfter;
  /** The same as an instant, by the clock of the service. */
  retryAt;
  /** Whether the service wrote the answer, and not something before it. */
  fromService;
  reply;
  /** Whether a Service with `wait` would have asked on. */
  waitHelps = false;

  constructor(message, told = {}) {
    super(message, { cause: told.cause });
    this.status = told.reply?.status ?? 0;
    this.code = told.code ?? '';
    this.requestId = told.requestId ?? '';
    this.retryAfter = told.retryAfter;
    this.retryAt = told.retryAt;
    this.fromService = this.requestId !== '';
    this.reply = told.reply;
  }

  /** Whether the same request may succeed later. */
  get mayPass() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

const isRedirect = ({ status }) => status >= 300 && status < 400 && status !== 304;

/** Milliseconds of an IMF-fixdate since 1970; `undefined` where the text is none. */
const timeOf = (text) => {
  const time = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/.test(text ?? '')
    ? Date.parse(text ?? '')
    : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};

/** The time by the clock of the one who answered: that of this machine may be wrong. */
const nowOf = ({ headers }) => timeOf(headers.get('Date')) ?? Date.now();

/**
 * The seconds that `Retry-After` says, at least 1: a number, or a date by the clock that wrote it.
 */
const secondsOf = (reply) => {
  const text = reply.headers.get('Retry-After')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Math.max(1, Number(text));
  const until = timeOf(text);
  return until === undefined ? undefined : Math.max(1, Math.round((until - nowOf(reply)) / 1000));
};

const windowOf = ({ headers }, name) => {
  const texts = ['Limit', 'Remaining', 'Reset'].map(
    (part) => headers.get(`X-RateLimit${name}-${part}`) ?? '',
  );
  if (!texts.every((text) => /^\d{1,10}$/.test(text))) return undefined;
  const [limit = 0, remaining = 0, reset = 0] = texts.map(Number);
  return { limit, remaining, reset: new Date(reset * 1000) };
};

const isoTime = (instant) => instant.toISOString().replace(/\.\d+/, '');

const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const parseJson = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it is told as an answer that is not that of the service
  }
};

/** The service at an address, asked with a key. By default both are those of the environment. */
class Service {
  url;
  quota = { minute: undefined, day: undefined };
  notice;
  sleep;
  #key;
  #headers;
  longestWait;
  /** Milliseconds, a whole number. */
  #timeout;
  #told = new Set();

  constructor(program, options = {}) {
    const { ARTIST_API_URL = '', ARTIST_API_KEY = '' } = process.env;
    const { url, key, wait = false, timeout = 30, notice = console.error, headers } = options;
    this.url = checkAddress(
      url === undefined ? 'ARTIST_API_URL' : 'url',
      url ?? (ARTIST_API_URL || defaultUrl),
    );
    this.#key = checkCharacters(
      key === undefined ? 'ARTIST_API_KEY' : 'key',
      key ?? ARTIST_API_KEY,
    );
    this.longestWait = wait ? Number.POSITIVE_INFINITY : 300;
    if (!(timeout > 0)) throw new RangeError(`timeout is ${timeout}, which is not above 0`);
    this.#timeout = Math.ceil(Math.min(timeout, longestTimer) * 1000);
    this.notice = notice;
    const sleepOnce =
      options.sleep ??
      ((seconds, signal) => sleep(seconds * 1000, undefined, signal && { signal }));
    this.sleep = async (seconds, signal) => {
      for (let left = seconds; left > 0; left -= longestTimer)
        await sleepOnce(Math.min(left, longestTimer), signal);
    };
    const agent = `${program}/${version}`;
    this.#headers = { Authorization: `Bearer ${this.#key}`, 'User-Agent': agent, ...headers };
  }

  /** Sends one GET. Rejects with an ApiError where no whole answer came, and for a redirect. */
  async send(path, { headers, signal } = {}) {
    if (!/^\/[\x21-\x7e]*$/.test(path))
      throw new TypeError(
        'A path begins with / and has no blank: quote its parts with encodeURIComponent.',
      );
    const timeout = AbortSignal.timeout(this.#timeout);
    const reply = await fetch(this.url + path, {
      headers: { ...this.#headers, ...headers },
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    })
      .then(async (response) => {
        const text = await response.text();
        if (response.status === 200 && text === '') throw new Error('terminated');
        return { status: response.status, headers: response.headers, text, body: parseJson(text) };
      })
      .catch((failure) => {
        signal?.throwIfAborted();
        throw this.#noAnswer(failure);
      });
    if (isRedirect(reply)) throw this.errorOf(reply);
    this.#readHeaders(reply);
    return reply;
  }

  /**
   * Sends a GET up to 5 times: after 429, 5xx and half an answer it waits as long as `Retry-After`
   * says, else longer each time. With `wait`, a 429 of the service does not count as one of the 5.
   * Rejects with an ApiError for all but 200, which is JSON, and 304.
   */
  async ask(path, options = {}) {
    let [waited, attempt] = [0, 1];
    const isUnbounded = this.longestWait === Number.POSITIVE_INFINITY;
    for (let longer = 2; ; longer = Math.min(2 * longer, 16)) {
      const reply = await this.send(path, options).catch((failure) => failure);
      if (
        !(reply instanceof Error) &&
        (reply.status === 304 || (reply.status === 200 && reply.body !== undefined))
      )
        return reply;
      const error = reply instanceof Error ? reply : this.errorOf(reply);
      // Half a body of the service, which no length and no chunk showed, is as good as none.
      if (
        !(error instanceof ApiError) ||
        !(error.mayPass || (error.status === 200 && error.fromService))
      )
        throw error;
      const seconds = error.retryAfter ?? Math.round(longer * (5 + 5 * Math.random())) / 10;
      const isQuota = error.status === 429 && error.fromService;
      const isLast = attempt === maxAttempts && !(isQuota && isUnbounded);
      if (isLast || waited + seconds > this.longestWait) {
        error.waitHelps = !isUnbounded && (isQuota || !isLast);
        throw error;
      }
      this.notice(`${error.message.replace(/\.$/, '')}: waiting ${seconds} s`);
      await this.sleep(seconds, options.signal);
      waited += seconds;
      if (!(isQuota && isUnbounded)) attempt += 1;
    }
  }

  /** The error that an answer is: what its status, its body and its headers say, in one line. */
  errorOf(reply) {
    const body = isRecord(reply.body) ? reply.body : {};
    const told = isRecord(body['error']) ? body['error'] : { ...body, code: body['error'] };
    const [code, message] = [told['code'], told['message']].map((text) =>
      typeof text === 'string' ? text : '',
    );
    const bodyId = told['request_id'];
    const requestId =
      reply.headers.get('X-Request-Id') ?? (typeof bodyId === 'string' ? bodyId : '');
    const retryAfter = secondsOf(reply);
    const retryAt =
      retryAfter === undefined ? undefined : new Date(nowOf(reply) + retryAfter * 1000);
    const text = this.#textOf(reply, code ?? '', message ?? '', requestId, retryAt);
    return new ApiError(this.#clean(text), {
      reply,
      code: code ?? '',
      requestId,
      retryAfter,
      retryAt,
    });
  }

  #textOf(reply, code, message, requestId, retryAt) {
    const { status, headers, text } = reply;
    const again = retryAt === undefined ? '' : ` Ask again at ${isoTime(retryAt)}.`;
    const what = `${status} ${code}`.trimEnd();
    if (isRedirect(reply)) {
      const location = headers.get('Location') ?? '';
      const [target] = (
        URL.canParse(location, `${this.url}/`) ? new URL(location, `${this.url}/`).href : location
      ).split('?');
      return `${status} redirects to ${target}, which is not asked: the key goes to ${this.url} only.`;
    }
    if (requestId === '') {
      const said = /<title>([^<]*)/i.exec(text)?.[1] ?? text;
      return `${status} from something before the service, not from itself (no X-Request-Id): ${printable(said).slice(0, 100)}.${again}`;
    }
    if (status === 200 || status === 304) return `${status} that is not the answer to this request`;
    if (status === 429) {
      const [short, day] = [windowOf(reply, ''), windowOf(reply, '-Day')];
      // the quota is that of the key's own form, whichever it asked for: only the current one has days
      const isVariant = short ? !day : headers.get('X-Envelope-Served') === 'variant';
      const name = code === 'quota_exceeded' ? 'day' : isVariant ? 'hour' : 'minute';
      const window = name === 'day' ? day : short;
      const of = window ? `${window.limit} requests ${name === 'hour' ? 'an' : 'a'}` : 'this';
      const until = retryAt === undefined ? '' : ` until ${isoTime(retryAt)}`;
      return `${what}: the quota of ${of} ${name} is spent${until}`;
    }
    return `${what}: ${message || 'no message'} (request_id ${requestId})${again}`;
  }

  #noAnswer(failure) {
    const { message, name, code } = failure.cause instanceof Error ? failure.cause : failure;
    const isCut = code === 'UND_ERR_SOCKET' || failure.message === 'terminated';
    const reason = isCut ? 'the answer was cut off' : message || code || name;
    const isProxySet =
      process.env['HTTPS_PROXY'] ?? process.env['https_proxy'] ?? process.env['HTTP_PROXY'];
    const hint =
      isProxySet && !process.env['NODE_USE_ENV_PROXY']
        ? ' (Node uses the proxy in HTTPS_PROXY only with NODE_USE_ENV_PROXY=1, from Node 22.21 on)'
        : '';
    return new ApiError(this.#clean(`No answer from ${this.url}: ${reason}${hint}`), {
      cause: failure,
    });
  }

  #clean(text) {
    const redacted = text.replaceAll(this.#key, '…').replace(keyText, 'aik_$1_…');
    return printable(redacted).slice(0, 500);
  }

  #readHeaders(reply) {
    const quota = { minute: windowOf(reply, ''), day: windowOf(reply, '-Day') };
    if (quota.minute !== undefined) this.quota = quota;
    const [sunset, deprecation, expires] = ['Sunset', 'Deprecation', 'X-Key-Expires'].map((name) =>
      reply.headers.get(name),
    );
    const link =
      /<([^>]*)>\s*;\s*rel="?(?:sunset|deprecation)\b/.exec(reply.headers.get('Link') ?? '')?.[1] ??
      '';
    const page =
      link !== '' && URL.canParse(link, `${this.url}/`)
        ? new URL(link, `${this.url}/`).href
        : `${this.url}/docs`;
    if (sunset)
      this.#tellEnd('Sunset', 'the form in which this key is answered', sunset, page, reply);
    else if (deprecation)
      this.tellOnce(
        'Deprecation',
        `Deprecation: the form of these answers is deprecated. Read ${page}`,
      );
    if (expires) this.#tellEnd('X-Key-Expires', 'this key', expires, `${this.url}/docs`, reply);
  }

  #tellEnd(kind, what, text, page, reply) {
    const [end, now] = [timeOf(text), nowOf(reply)];
    const day = end === undefined ? text : isoTime(new Date(end));
    const when =
      end === undefined
        ? `ends: ${text}.`
        : end > now
          ? `ends on ${day}, in ${Math.floor((end - now) / 86_400_000)} days.`
          : `ended on ${day} and may be refused at any time.`;
    this.tellOnce(kind, `${kind}: ${what} ${when} Read ${page}`);
  }

  /** Gives `notice` a line, unless it got one of this kind before. */
  tellOnce(kind, text) {
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    this.notice(this.#clean(text));
  }
}

/** A file that cannot be used, or that would lose what it has. `message` is one line. */
class FileError extends Error {}

/** Why a system call failed, written as Python does: Node puts the code before that and the call behind it. */
const reasonOf = ({ message }) =>
  message.replace(/^E[A-Z0-9]+: (.+?), .*$/s, '$1').replace(/^./, (first) => first.toUpperCase());

/**
 * Whether a module is the program that Node was started with, and not a library of it. Each module
 * in a bundle has the address of the bundle; only the program's own file ends with this call.
 */
const isProgram = (moduleUrl) => {
  const [, program] = process.argv;
  if (program === undefined || !existsSync(program)) return false;
  const file = realpathSync(program);
  const lastCall = /isProgram\(import\.meta\.url\)\)\s+\w+ run\(main\);[^()]*$/;
  return moduleUrl === pathToFileURL(file).href && lastCall.test(readFileSync(file, 'utf8'));
};

/** Ends the program with one line on standard error and 1. */
const end = (reason) => {
  console.error(printable(reason));
  process.exit(1);
};

/** The arguments of the program. One that it does not know ends it. */
const parseArguments = (options) => {
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (failure) {
    return end(`${failure instanceof Error ? failure.message : failure} See --help.`);
  }
};

/**
 * Runs a program: where it fails, it ends with one line on standard error and 1. A bug shows its
 * stack.
 */
const run = async (main) => {
  process.stdout.on('error', (failure) => {
    if (failure.code === 'EPIPE') process.exit(141); // who read it, for example `head`, has enough
    end(`Standard output: ${reasonOf(failure)}`);
  });
  try {
    await main();
  } catch (failure) {
    const isExpected = [ApiError, FileError, SettingError].some((kind) => failure instanceof kind);
    if (!(failure instanceof Error) || !(isExpected || 'syscall' in failure)) throw failure;
    if (!(failure instanceof ApiError) || failure.retryAfter === undefined)
      return end(failure.message);
    const wait = failure.waitHelps ? ', or with --wait' : '';
    end(`${failure.message.replace(/\.$/, '')}. Run this again then${wait}.`);
  }
};

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

const texts = (...parts) => ({
  content: parts.map((text) => ({ type: 'text', text })),
});

/** What a refusal says, the id that support asks for, and when to ask again. */
const refused = ({ message, requestId, retryAfter }) => {
  const lines = [message];
  if (retryAfter !== undefined)
    lines.push(`Ask again in ${retryAfter} seconds. Sooner is useless.`);
  if (requestId !== '' && !message.includes(requestId)) lines.push(`request_id: ${requestId}`);
  return { isError: true, ...texts(lines.join('\n')) };
};

/** Answers of more than one part by the path that was asked for, the last one last. */
const kept = new Map();

/**
 * An answer from one of its characters on, to the end of the object that still fits into a part.
 */
const partOf = (path, answer, from) => {
  const { text, warnings } = answer;
  const left = text.length - from;
  if (left <= partLength) return texts(text.slice(from), ...warnings);
  const end = text.lastIndexOf('},', from + partLength - 2) + 2;
  const to = end > from + 1 ? end : from + partLength;
  kept.delete(path);
  kept.set(path, answer);
  for (const oldest of [...kept.keys()].slice(0, -maxKept)) kept.delete(oldest);
  const note = `This is a part of the answer: characters ${from} to ${to} of ${text.length}. For the next part, call the tool with the same arguments and "continue_at": ${to}. It costs no request.`;
  return texts(text.slice(from, to), note, ...warnings);
};

/** An answer, or the next part of one, with what there is to say about an end of the key or the form. */
const ask = async (service, path, from, form) => {
  if (from > 0) {
    const answer = kept.get(path);
    if (answer !== undefined && from < answer.text.length) return partOf(path, answer, from);
    const advice = 'call the tool without continue_at.';
    return refused(new ApiError(`There is no such part, or it is no longer kept: ${advice}`));
  }
  const reply = await service.send(path);
  const served = reply.headers.get('X-Envelope-Served') ?? form;
  // Health is the same in both forms. In the current form are 401 and 503 for an unknown key, and 431
  // for every key: the HTTP parser of the service refuses.
  const isRefused = [401, 431].includes(reply.status) || reply.status >= 500;
  const isOther = served !== form && path !== healthPath && !isRefused;
  const isAnswer = reply.status === 200 && reply.body !== undefined && !isOther;
  const restart = `This key is now answered in the ${served} form, and these tools are of the ${form} form: restart the assistant, which then has the tools of the ${served} form.`;
  const hasHistories = /\/artists\/|[?&]include=history\b/.test(path);
  const isPartial = hasHistories && !reply.headers.has('ETag');
  const result = isAnswer
    ? partOf(path, { text: reply.text, warnings: isPartial ? [partialHistory] : [] }, 0)
    : refused(isOther ? new ApiError(restart) : service.errorOf(reply));
  return { ...result, content: [...result.content, ...texts(...notices.splice(0)).content] };
};

/** Lines about an end of the key or the form that no answer of a tool has told yet. */
const notices = [];

const continueAt = {
  type: 'integer',
  minimum: 1,
  description: 'Only for the next part of a long answer: the number that the last part ended with',
};

/** A text of the contract without its sentences on headers, which no tool sends. */
const withoutHeaders = (text) =>
  text
    .split('\n\n')
    .map((part) => part.split(/(?<=\.) /).filter((sentence) => !headerName.test(sentence)))
    .filter((sentences) => sentences.length > 0)
    .map((sentences) => sentences.join(' '))
    .join('\n\n');
const headerName = /`(?:If-None-Match|ETag|Authorization|Accept-Encoding)/;

/** An argument as the contract has its type: assistants send digits for a number, or a number for digits. */
const typed = (value, type) => {
  if (typeof value === 'number' && type === 'string' && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
    return String(value); // an id of more digits has lost some
  if (typeof value !== 'string') return value;
  if (type === 'integer' && /^[0-9]{1,15}$/.test(value)) return Number(value);
  return type === 'boolean' && /^(?:true|false)$/i.test(value) ? /^t/i.test(value) : value;
};

/** Arguments without those that are left out, which assistants send as `null`, empty or 0. */
const understood = (given, types) =>
  Object.fromEntries(
    Object.entries(Object(given)).flatMap(([name, sent]) => {
      const value = typed(sent, types.get(name));
      const isLeftOut = value === null || value === '' || (name === 'continue_at' && value === 0);
      return isLeftOut ? [] : [[name, value]];
    }),
  );

const addTools = (server, service, { form, paths }) =>
  Object.entries(paths).map(([template, { get }]) => {
    const parameters = (get.parameters ?? []).filter((parameter) => parameter.in !== 'header');
    const described = parameters.map(({ name, description = '', schema, ...parameter }) => {
      const bound = parameter.in === 'path' ? { minLength: 1 } : {};
      return [name, { ...bound, ...schema, description: withoutHeaders(description) }];
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
      return ask(service, query.size === 0 ? path : `${path}?${query}`, from, form);
    });
    return get.operationId;
  });

/** The contract of the form that the key answers in. Health says which, and costs no request. */
const readContract = async (service) => {
  const health = await service.send(healthPath);
  const form = health.headers.get('X-Envelope-Served') === 'variant' ? 'variant' : 'current';
  const reply = await service.send(form === 'variant' ? '/openapi.variant.json' : '/openapi.json');
  if (reply.status === 404) {
    const advice = 'is ARTIST_API_URL the address of the service?';
    throw new ApiError(`${service.url} has no contract: ${advice}`, { reply });
  }
  const { info, paths } = isRecord(reply.body) ? reply.body : {};
  if (reply.status !== 200 || !isRecord(info) || !isRecord(paths)) throw service.errorOf(reply);
  return { ...reply.body, form }; // the service's own document
};

/** The tool there is while the service is away: desktops hide a program that ends. */
const addConnect = (server, service, why) => {
  const config = {
    title: 'Connect to the service',
    description: `Call this to try again: the service could not be reached at the start. ${why}`,
  };
  const tool = server.registerTool('connect', config, async () => {
    const contract = await readContract(service);
    tool.remove();
    const names = addTools(server, service, contract).join(', ');
    return texts(`The service is there, with the tools ${names}. Start anew if you lack them.`);
  });
};

try {
  const service = new Service('assistant.mjs', { notice: (text) => notices.push(text) });
  const contract = await readContract(service).catch((failure) => failure);
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
