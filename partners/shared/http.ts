/*
 * What the programs of this service share: where the key goes, one request, waiting, errors,
 * notices.
 *
 *   const service = new Service('artist-api.ts', { url, key });   SettingError, a TypeError, names what is wrong with
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

import { existsSync, readFileSync, realpathSync } from 'node:fs';
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

/** The text of a key, whole or cut: of it only the id may be printed. */
const keyText = /aik_([0-9A-Za-z]+)_[0-9A-Za-z]+/g;

const characterNames = new Map([
  ['\n', 'a line end'],
  ['\r', 'a line end'],
  [' ', 'a blank'],
  ['\t', 'a tab'],
  ['\u2026', 'an ellipsis'],
  ['\uFEFF', 'a byte order mark'],
  ...[...'\u201c\u201d\u201e\u2018\u2019'].map((quote): [string, string] => [
    quote,
    'a typographic quote',
  ]),
]);

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
  return text.replace(/\/+$/, '');
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
    return this.status === 0 || this.status === 429 || this.status >= 500;
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
    const sleepOnce =
      options.sleep ??
      ((seconds: number, signal?: AbortSignal) =>
        sleep(seconds * 1000, undefined, signal && { signal }));
    this.sleep = async (seconds, signal) => {
      for (let left = seconds; left > 0; left -= longestTimer)
        await sleepOnce(Math.min(left, longestTimer), signal);
    };
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

  #noAnswer(failure: Error): ApiError {
    const { message, name, code } = (
      failure.cause instanceof Error ? failure.cause : failure
    ) as NodeJS.ErrnoException;
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

  #clean(text: string): string {
    const redacted = text.replaceAll(this.#key, '…').replace(keyText, 'aik_$1_…');
    return printable(redacted).slice(0, 500);
  }

  #readHeaders(reply: Reply): void {
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

  #tellEnd(kind: string, what: string, text: string, page: string, reply: Reply): void {
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
 * Whether a module is the program that Node was started with, and not a library of it. Each module
 * in a bundle has the address of the bundle; only the program's own file ends with this call.
 */
export const isProgram = (moduleUrl: string): boolean => {
  const [, program] = process.argv;
  if (program === undefined || !existsSync(program)) return false;
  const file = realpathSync(program);
  const lastCall = /isProgram\(import\.meta\.url\)\)\s+\w+ run\(main\);[^()]*$/;
  return moduleUrl === pathToFileURL(file).href && lastCall.test(readFileSync(file, 'utf8'));
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
