/**
 * A client of the Artist Intelligence API, current form: a program, and a library.
 *
 *   export ARTIST_API_KEY=aik_…
 *   node artist-api.mjs shortlist                 prints every artist: identifier, tab, name
 *   node artist-api.mjs poll --state seen.json    prints who is added, every 15 minutes
 *
 *   import { ApiError, Client } from './artist-api.mjs';
 *   const client = new Client();                 // or new Client({ url, key, wait: true, timeout: 30 })
 *   for await (const artist of client.artists({ tier: 'breaking', include: 'history' }))
 *     console.log(artist.name, artist.history);
 *
 * A method resolves with the whole of what it names or rejects: with an ApiError where the service
 * refuses or does not answer; `new Client` throws a TypeError where the key or the address cannot
 * be one. A method waits for quotas and outages, at most 5 minutes for a request. Nothing is
 * printed but one line on standard error while it waits, and where the key ends soon: the option
 * `notice` takes these lines.
 *
 * Needs no packages, and Node 22.18 or later, which runs TypeScript directly (artist-api.mjs: Node
 * 20.19). Node uses the proxy in HTTPS_PROXY only with NODE_USE_ENV_PROXY=1, from Node 22.21 on.
 * SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
 */

import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

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

const healthPath = '/api/v1/health';

const pathWith = (path, values) => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) query.set(name, `${value}`);
  return query.size === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
};

/**
 * The service in the current form. The options say what is taken from the environment otherwise.
 */
export class Client extends Service {
  constructor(options = {}) {
    // A key that is pinned to the variant form may read this one where it is allowed to.
    super('artist-api.mjs', {
      ...options,
      headers: { 'X-Envelope': 'current', ...options.headers },
    });
  }

  async #read(path, values, tag) {
    const headers = tag ? { 'If-None-Match': tag } : {};
    const reply = await this.ask(pathWith(path, values), { headers });
    // Health is the same in both forms, and is answered where the key is refused.
    if (reply.headers.get('X-Envelope-Served') === 'variant' && path !== healthPath)
      throw new ApiError(
        `This key is answered in the variant form, and this client reads the current form: see ${this.url}/docs/migration`,
        { reply },
      );
    if (!isRecord(reply.body) && !(tag && reply.status === 304)) throw this.errorOf(reply);
    return reply;
  }

  /**
   * The answer to any path: its `body`, an object that is not checked further, and its `headers`.
   */
  async get(path, values = {}) {
    return await this.#read(path, values); // as the caller says by the contract
  }

  /** Rejects where an answer is no list of objects that have this member. */
  #checkList(reply, identifier) {
    const { data, meta } = isRecord(reply.body) ? reply.body : {};
    const isList =
      Array.isArray(data) &&
      data.every((item) => isRecord(item) && typeof item[identifier] === 'string');
    const cursor = isRecord(meta) ? meta['next_cursor'] : undefined;
    if (!isList || (cursor !== null && typeof cursor !== 'string')) throw this.errorOf(reply);
    return reply; // the other members as the contract says
  }

  /**
   * The pages of artists, one request each, as they are needed. With the ETag of the first page
   * before as `tag` there is no page where that has not changed.
   */
  async *pages(filters = {}, pageSize = 100, tag = null) {
    let cursor;
    do {
      const values = { limit: pageSize, ...filters, cursor };
      const reply = await this.#read('/api/v1/artists', values, cursor === undefined ? tag : null);
      if (reply.status === 304) return;
      const page = this.#checkList(reply, 'id');
      const next = page.body.meta.next_cursor ?? undefined;
      if (next !== undefined && next === cursor)
        throw new ApiError('A page names itself as the next one.', { reply });
      yield page;
      cursor = next;
    } while (cursor !== undefined);
  }
  async *artists(filters = {}, pageSize = 100) {
    const seen = new Set(); // one whose date_added is corrected meanwhile is on two pages
    for await (const { body, headers } of this.pages(filters, pageSize)) {
      if (filters.include === 'history') this.#checkHistories(headers);
      for (const artist of body.data) {
        if (!seen.has(artist.id)) yield artist;
        seen.add(artist.id);
      }
    }
  }

  /**
   * A notice where histories lack something: the service gives an answer no ETag while it cannot
   * read a part of them.
   */
  #checkHistories(headers) {
    if (headers.has('ETag')) return;
    this.tellOnce('history', 'history: the service cannot read a part of it: points are missing');
  }

  /**
   * One artist with its history. Rejects with an ApiError, whose status is 404 where there is none.
   */
  async artist(id) {
    const reply = await this.get(`/api/v1/artists/${encodeURIComponent(id)}`);
    if (typeof reply.body.data?.id !== 'string') throw this.errorOf(reply);
    this.#checkHistories(reply.headers);
    return reply.body.data;
  }

  /** All artists that were added on this day, `2026-11-25`, or later. `/added` has at most 100. */
  addedSince(day) {
    return this.artists({ added_since: day });
  }

  async spikes(days) {
    const { body } = this.#checkList(await this.#read('/api/v1/spikes', { days }), 'artist_id');
    return { items: body.data, window: body.meta.window, engine: body.meta.engine };
  }

  async signings() {
    const reply = await this.#read('/api/v1/signings', {});
    return this.#checkList(reply, 'artist_id').body.data;
  }

  /** The day of the service (UTC), for no quota: the clock of this machine may be wrong. */
  async today() {
    const reply = await this.get(healthPath);
    const day = String(reply.body.generated_at).slice(0, 10);
    if (!isDay(day)) throw this.errorOf(reply);
    return day;
  }
}

/** Whether a value is a day, YYYY-MM-DD, that has a day before it in Python too: its first is 0001-01-01. */
const isDay = (text) => {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(text); // of 02-30 it makes 03-02
  const isWritten = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isWritten && text > '0001-01-01';
};

const dayBefore = (day) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);

/** Rejects where nobody takes the line, so that no artist is told as printed that was not. */
const printArtist = ({ id, name }) =>
  new Promise((resolve, reject) => {
    const { stdout } = process;
    stdout.once('error', reject); // comes after each failed write, and ends a process without it
    stdout.write(`${printable(id)}\t${printable(name)}\n`, (failure) => {
      if (failure) return;
      stdout.off('error', reject);
      resolve();
    });
  });

/** Where a file is that may be behind links, the last of which may name no file yet. */
const placeOf = (file) => {
  // Neither `resolve` nor `realpathSync` without `native`: they drop ".." and the link before it.
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return realpathSync.native(file);
  const place = join(realpathSync.native(dirname(file)), basename(file));
  if (!lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) return place;
  const to = readlinkSync(place);
  return placeOf(isAbsolute(to) ? to : `${dirname(place)}/${to}`);
};

/** Whether `writeState` can put a file there, which it writes beside it first. */
const isWritable = (file) => {
  try {
    const place = placeOf(file);
    accessSync(dirname(place), constants.W_OK);
    return statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true;
  } catch {
    return false;
  }
};

/** Throws a FileError where the file is another one, or cannot be written. */
const readState = (file) => {
  if (!isWritable(file)) throw new FileError(`${file} cannot be written.`);
  if (!existsSync(file)) return { day: undefined, seen: new Set() };
  const state = parseJson(readFileSync(file, 'utf8'));
  const { day, seen } = isRecord(state) ? state : {};
  if (!isDay(day) || !Array.isArray(seen) || !seen.every((id) => typeof id === 'string'))
    throw new FileError(`${file} is not a file that poll has written.`);
  return { day, seen: new Set(seen) };
};

/** Writes the whole file or nothing, through a link. Throws a FileError where it cannot be written. */
const writeState = (file, { day, seen }) => {
  try {
    const place = placeOf(file);
    const part = `${place}.${process.pid}`;
    try {
      writeFileSync(part, JSON.stringify({ day, seen: [...seen] }), { flush: true });
      renameSync(part, place);
    } finally {
      rmSync(part, { force: true });
    }
  } catch (failure) {
    if (!(failure instanceof Error)) throw failure;
    throw new FileError(`${file} cannot be written: ${reasonOf(failure)}.`, { cause: failure });
  }
};

/**
 * Prints who was added since the last poll, every 15 minutes: 96 of the 1,000 requests a day, more
 * only where a day has more than a page. It reads from the day before the last poll on, to the last
 * page.
 */
export const poll = async (
  client,
  { state: file, polls = Number.POSITIVE_INFINITY, pageSize = 100 } = {},
) => {
  let { day, seen } = file === undefined ? { day: undefined, seen: new Set() } : readState(file);
  let last;
  for (let turn = 1; ; turn++) {
    try {
      const today = await client.today();
      const since = dayBefore(day ?? today);
      const pages = [];
      const tag = last?.since === since ? last.tag : null;
      for await (const page of client.pages({ added_since: since }, pageSize, tag))
        pages.push(page);
      const artists = new Map(
        pages.flatMap(({ body }) => body.data.map((artist) => [artist.id, artist])),
      );
      for (const artist of artists.values()) if (!seen.has(artist.id)) await printArtist(artist);
      // The tag of a first page speaks for the others only where there are none.
      if (pages.length > 0)
        last = { since, tag: pages.length === 1 ? (pages[0]?.headers.get('ETag') ?? null) : null };
      day = today;
      if (pages.length > 0) seen = new Set(artists.keys());
      if (file !== undefined) writeState(file, { day, seen });
    } catch (failure) {
      if (!(failure instanceof ApiError && failure.mayPass && last !== undefined && turn < polls))
        throw failure;
      client.notice(`${failure.message}: asking again in 15 minutes`);
    }
    if (turn >= polls) return;
    await client.sleep(15 * 60);
  }
};

const usage = `artist-api.mjs COMMAND [options]

  shortlist           print every artist: identifier, tab, name
  poll                print who was added, every 15 minutes, from yesterday (UTC) on

  --state FILE        poll: remember in a file who was printed, also over a restart, which then
                      prints at most one poll again; without it all of the last two days
  --polls N           poll: end after this many polls; without it poll runs until you end it.
                      From cron: poll --polls 1 --state /full/path/seen.json
  --base-url URL      address of the service, else the variable ARTIST_API_URL
  --page-size N       artists in a request (100)
  --timeout N         seconds for one answer (30)
  --wait              wait for a quota however long it takes, not for at most 5 minutes
  --wait-factor N     multiplies every wait: 0.01 to try it out
  --help

The key is read from the variable ARTIST_API_KEY. Node uses the proxy in HTTPS_PROXY only with
NODE_USE_ENV_PROXY=1, from Node 22.21 on.`;

const options = {
  state: { type: 'string' },
  polls: { type: 'string' },
  'base-url': { type: 'string' },
  'page-size': { type: 'string', default: '100' },
  timeout: { type: 'string', default: '30' },
  wait: { type: 'boolean', default: false },
  'wait-factor': { type: 'string', default: '1' },
  help: { type: 'boolean' },
};

/** Ends the program where the text of an option is no number above 0 and below 1,000,000,000. */
const readNumber = (option, text, kind = 'number') => {
  const pattern = kind === 'number' ? /^[\d.e+-]+$/i : /^\d+$/;
  const number = pattern.test(text) ? Number(text) : 0;
  return number > 0 && number < 1e9
    ? number
    : end(`--${option} takes a ${kind} above 0 and below 1e9. See --help.`);
};

const main = async () => {
  const { positionals, values } = parseArguments(options);
  if (values.help) return console.log(usage);
  const [command, ...others] = positionals;
  if ((command !== 'poll' && command !== 'shortlist') || others.length > 0)
    end('Give a command: shortlist or poll. See --help.');
  const polls =
    values.polls === undefined ? undefined : readNumber('polls', values.polls, 'whole number');
  const pageSize = readNumber('page-size', values['page-size'], 'whole number');
  const factor = readNumber('wait-factor', values['wait-factor']);
  const client = new Client({
    url: values['base-url'],
    wait: values.wait,
    timeout: readNumber('timeout', values.timeout),
    sleep: (seconds) => sleep(Math.min(seconds * factor, longestTimer) * 1000),
  });
  if (command === 'poll') return poll(client, { state: values.state, polls, pageSize });
  for await (const artist of client.artists({}, pageSize)) await printArtist(artist);
};

export { ApiError };

if (isProgram(import.meta.url)) void run(main);
