/*
 * What the programs of this service share: where the key goes, one request, waiting, errors,
 * notices.
 * Only `runAsProgram`, `parseArguments` and `end` end the process.
 */

import { existsSync, realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type ParseArgsConfig, parseArgs } from 'node:util';

const version = '0.0.0';
export const defaultUrl = 'http://127.0.0.1:3000';
const maxAttempts = 5;
/** Seconds. Node fires a timer of more than 2^31 - 1 ms at once. */
export const longestTimer = 2_147_483;

/**
 * A text as one line: without control characters, line ends of Unicode, and marks that change the
 * direction of a line.
 */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();

/** A text as one line of at most so many characters, each of them whole. */
const shorten = (text: string, length: number): string =>
  [...printable(text)].slice(0, length).join('');

/** The text of a key, whole or cut: of it only the id may be printed. */
const keyText = /aik_([0-9A-Za-z]+)_[0-9A-Za-z]+/g;

/**
 * A key or an address that can be none. `message` names it and what is wrong with it, never its
 * text.
 */
export class SettingError extends TypeError {}

/**
 * A key or address without the blanks around it. Throws a SettingError, which never has its text.
 */
const checkCharacters = (name: string, given: string): string => {
  const text = given.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  if (text === '') throw new SettingError(`${name} is not set.`);
  const place = [...text].findIndex((character) => !/^[\x21-\x7e]$/.test(character));
  if (place === -1) return text;
  const character = [...text][place] ?? '';
  const code = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
  throw new SettingError(
    `${name} has ${character === ' ' ? 'a blank' : code} as its character ${place + 1}: copy it again, without quotes and line ends.`,
  );
};

/**
 * The address of the service, without `/` or `/api/v1` at its end. Throws a SettingError, which
 * never has its text.
 */
const checkAddress = (name: string, given: string): string => {
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
  return text.replace(/(?:\/+api\/v1)?\/*$/, '');
};

/** An answer, whatever its status. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON; `undefined` where it is none. */
  readonly body: unknown;
}

/**
 * A request without the answer that was asked for. `message` is one line, without control
 * characters.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0 where no whole answer came. */
  readonly status: number;
  /** `not_found` …; empty where the service did not write the answer. */
  readonly code: string;
  /** For support; empty without one. */
  readonly requestId: string;
  /** Seconds, as the answer says. */
  readonly retryAfter: number | undefined;
  /** The same as an instant, by the clock of the service. */
  readonly retryAt: Date | undefined;
  /** Whether the service wrote the answer, and not something before it. */
  readonly fromService: boolean;
  readonly reply: Reply | undefined;
  /** Whether a Service with `wait` would have asked on. */
  waitHelps = false;
  /** Whether a setting of this machine prevents an answer. */
  isSetup = false;

  constructor(
    message: string,
    told: {
      readonly reply?: Reply;
      readonly code?: string;
      readonly requestId?: string;
      readonly retryAfter?: number | undefined;
      readonly retryAt?: Date | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
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
  get mayPass(): boolean {
    return !this.isSetup && (this.status === 0 || this.status === 429 || this.status >= 500);
  }
}

export interface Window {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: Date;
}

/** What the last answer said of the quotas. The variant form has an hour in place of the minute. */
export interface Quota {
  readonly minute: Window | undefined;
  readonly day: Window | undefined;
}

const isRedirect = ({ status }: Reply): boolean => status >= 300 && status < 400 && status !== 304;

/** Milliseconds of an IMF-fixdate since 1970; `undefined` where the text is none. */
const timeOf = (text: string | null): number | undefined => {
  const time = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/.test(text ?? '')
    ? Date.parse(text ?? '')
    : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};

/** The time by the clock of the one who answered: that of this machine may be wrong. */
export const nowOf = ({ headers }: Reply): number => timeOf(headers.get('Date')) ?? Date.now();

/**
 * The seconds that `Retry-After` says, at least 1: a number, or a date by the clock that wrote it.
 */
export const secondsOf = (reply: Reply): number | undefined => {
  const text = reply.headers.get('Retry-After')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Math.max(1, Number(text));
  const until = timeOf(text);
  return until === undefined ? undefined : Math.max(1, Math.round((until - nowOf(reply)) / 1000));
};

export const windowOf = ({ headers }: Reply, name: '' | '-Day'): Window | undefined => {
  const texts = ['Limit', 'Remaining', 'Reset'].map(
    (part) => headers.get(`X-RateLimit${name}-${part}`) ?? '',
  );
  if (!texts.every((text) => /^\d{1,10}$/.test(text))) return undefined;
  const [limit = 0, remaining = 0, reset = 0] = texts.map(Number);
  return { limit, remaining, reset: new Date(reset * 1000) };
};

export const isoTime = (instant: Date): string => instant.toISOString().replace(/\.\d+/, '');

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it is told as an answer that is not that of the service
  }
};

export interface ServiceOptions {
  /** By default that in the variable ARTIST_API_URL. */
  readonly url?: string | undefined;
  /** By default that in the variable ARTIST_API_KEY. */
  readonly key?: string | undefined;
  /** Lets the waits of one request take however long they do, not 5 minutes together. */
  readonly wait?: boolean | undefined;
  /** Seconds for one answer (30), at most 2,147,483. */
  readonly timeout?: number | undefined;
  /**
   * Gets each line about waiting, and about an end of the key or the form; by default standard
   * error does.
   */
  readonly notice?: ((text: string) => void) | undefined;
  /** Waits so many seconds, and rejects when the signal says so. */
  readonly sleep?: ((seconds: number, signal?: AbortSignal) => Promise<unknown>) | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request, and the waiting for the next one, with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

const proxyRemedy =
  'Put the user and password of the proxy into HTTPS_PROXY, as http://USER:PASSWORD@HOST:PORT.';

/** What to change if the next request would fail the same way; empty for other failures. */
const remedyOf = ({ code = '', message }: NodeJS.ErrnoException): string => {
  if (/CERT|LEAF_SIGNATURE/.test(code))
    return 'If your network replaces certificates, set NODE_EXTRA_CA_CERTS to its root certificate.';
  if (/^ERR_SSL|^EPROTO$/.test(code))
    return 'Check the address: this port might not use TLS (https://).';
  return /^407 |^Proxy response \(407\)/.test(message) ? proxyRemedy : '';
};

/** The service at an address, asked with a key. By default both are those of the environment. */
export class Service {
  readonly url: string;
  quota: Quota = { minute: undefined, day: undefined };
  readonly notice: (text: string) => void;
  readonly sleep: (seconds: number, signal?: AbortSignal) => Promise<unknown>;
  readonly #key: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly longestWait: number;
  /** Milliseconds, a whole number. */
  readonly #timeout: number;
  readonly #told = new Set<string>();

  constructor(program: string, options: ServiceOptions = {}) {
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
    this.sleep =
      options.sleep ??
      ((seconds, signal) =>
        sleep(Math.min(seconds, longestTimer) * 1000, undefined, signal && { signal }));
    const agent = `${program}/${version}`;
    this.#headers = { Authorization: `Bearer ${this.#key}`, 'User-Agent': agent, ...headers };
  }

  /** Sends one GET. Rejects with an ApiError where no whole answer came, and for a redirect. */
  async send(path: string, { headers, signal }: RequestOptions = {}): Promise<Reply> {
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
      .then(async (response): Promise<Reply> => {
        const text = await response.text();
        if (response.status === 200 && text === '') throw new Error('terminated');
        return { status: response.status, headers: response.headers, text, body: parseJson(text) };
      })
      .catch((failure: Error) => {
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
  async ask(path: string, options: RequestOptions = {}): Promise<Reply> {
    let [waited, attempt] = [0, 1];
    const isUnbounded = this.longestWait === Number.POSITIVE_INFINITY;
    for (let longer = 2; ; longer = Math.min(2 * longer, 16)) {
      const reply = await this.send(path, options).catch((failure: Error) => failure);
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
  errorOf(reply: Reply): ApiError {
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

  #textOf(
    reply: Reply,
    code: string,
    message: string,
    requestId: string,
    retryAt: Date | undefined,
  ): string {
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
      const remedy = status === 407 ? ` ${proxyRemedy}` : '';
      return `${status} from something before the service, not from itself (no X-Request-Id): ${shorten(said, 100)}.${again}${remedy}`;
    }
    if (status === 200 || status === 304) return `${status} that is not the answer to this request`;
    if (status === 429) {
      const [short, day] = [windowOf(reply, ''), windowOf(reply, '-Day')];
      // the quota is that of the key's own form, whichever it asked for: only the current one has days
      const isVariant = short ? !day : headers.get('X-Envelope-Served') === 'variant';
      const name = code === 'quota_exceeded' ? 'day' : 'minute';
      const isHour = isVariant && name === 'minute';
      const shared = 'that the keys of your organization share';
      const window = name === 'day' ? day : short;
      const limit = window ? `${window.limit} requests` : 'requests';
      const whose = isHour ? 'an hour of this key' : `a ${name} ${shared}`;
      const until = retryAt === undefined ? '' : ` until ${isoTime(retryAt)}`;
      return `${what}: the ${limit} ${whose} are used up${until}`;
    }
    return `${what}: ${message || 'no message'} (request_id ${requestId})${again}`;
  }

  #noAnswer(failure: Error): ApiError {
    const { message, name, code } = (
      failure.cause instanceof Error ? failure.cause : failure
    ) as NodeJS.ErrnoException;
    const isCut = code === 'UND_ERR_SOCKET' || failure.message === 'terminated';
    // fetch fails without a reason for 407
    const reason = isCut ? 'the answer was cut off' : message || code || '407 of a proxy';
    const isProxySet =
      process.env['HTTPS_PROXY'] ?? process.env['https_proxy'] ?? process.env['HTTP_PROXY'];
    const hint =
      isProxySet && !process.env['NODE_USE_ENV_PROXY']
        ? ' (Node uses the proxy in HTTPS_PROXY only with NODE_USE_ENV_PROXY=1, from Node 22.21 on)'
        : '';
    const remedy = remedyOf({ name, message: reason, code });
    const text = `No answer from ${this.url}: ${reason}${hint}${remedy && `. ${remedy}`}`;
    const error = new ApiError(this.#clean(text), { cause: failure });
    error.isSetup = remedy !== '';
    return error;
  }

  #clean(text: string): string {
    const redacted = text.replaceAll(this.#key, '…').replace(keyText, 'aik_$1_…');
    return shorten(redacted, 500);
  }

  #readHeaders(reply: Reply): void {
    const quota = { minute: windowOf(reply, ''), day: windowOf(reply, '-Day') };
    if (quota.minute !== undefined) this.quota = quota;
    const [sunset, expires] = ['Sunset', 'X-Key-Expires'].map((name) => reply.headers.get(name));
    const link =
      /<([^>]*)>\s*;\s*rel="?(?:sunset|deprecation)\b/.exec(reply.headers.get('Link') ?? '')?.[1] ??
      '';
    const page =
      link !== '' && URL.canParse(link, `${this.url}/`)
        ? new URL(link, `${this.url}/`).href
        : `${this.url}/docs`;
    if (sunset)
      this.#tellEnd('Sunset', 'the form in which this key is answered', sunset, page, reply);
    if (expires) this.#tellEnd('X-Key-Expires', 'this key', expires, `${this.url}/docs`, reply);
  }

  #tellEnd(kind: string, what: string, text: string, page: string, reply: Reply): void {
    const [end, now] = [timeOf(text), nowOf(reply)];
    const days = end === undefined ? 0 : Math.floor((end - now) / 86_400_000);
    if (kind === 'X-Key-Expires' && days >= 30) return;
    const day = end === undefined ? text : isoTime(new Date(end));
    const when =
      end === undefined
        ? `ends: ${text}.`
        : end > now
          ? `ends on ${day}, in ${days} days.`
          : `ended on ${day} and may be refused at any time.`;
    this.tellOnce(kind, `${kind}: ${what} ${when} Read ${page}`);
  }

  /** Gives `notice` a line, unless it got one of this kind before. */
  tellOnce(kind: string, text: string): void {
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    this.notice(this.#clean(text));
  }
}

/** A file that cannot be used, or that would lose what it has. `message` is one line. */
export class FileError extends Error {}

/** Why a system call failed, written as Python does: Node puts the code before that and the call behind it. */
export const reasonOf = ({ message }: Error): string =>
  message.replace(/^E[A-Z0-9]+: (.+?), .*$/s, '$1').replace(/^./, (first) => first.toUpperCase());

/**
 * Runs `main` if this module is the program that Node was started with: a file, a link to it, or
 * standard input. An application that it is bundled into does not export `mark`.
 */
export const runAsProgram = async (
  moduleUrl: string,
  mark: string,
  main: () => Promise<void> | void,
): Promise<void> => {
  const [, program = '-'] = process.argv;
  const isInput = /\[(?:eval|stdin)\d*\]$/.test(moduleUrl);
  if (!isInput) {
    if (!existsSync(program)) return;
    const places = [program, realpathSync(program)].map((file) => pathToFileURL(file).href);
    if (!places.includes(moduleUrl) || !(mark in (await import(moduleUrl)))) return;
  }
  // Process 1 of a container ignores a signal without a handler.
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
  await run(main);
};

/** Ends the program with one line on standard error and 1. */
export const end = (reason: string): never => {
  console.error(printable(reason));
  process.exit(1);
};

/** The arguments of the program. One that it does not know ends it. */
export const parseArguments = <Options extends ParseArgsConfig['options']>(options: Options) => {
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
export const run = async (main: () => Promise<void> | void): Promise<void> => {
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
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
