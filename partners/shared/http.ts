// Shared by the programs of this service. Only `run`, `parseArguments` and `end` end the process.

import { setTimeout } from 'node:timers/promises';
import { type ParseArgsConfig, parseArgs } from 'node:util';

const version = '0.0.0';
const defaultUrl = 'http://127.0.0.1:3000';
const maxAttempts = 5;
/** Seconds. Node fires a timer of more than 2^31 - 1 ms immediately. */
const longestTimer = 2_147_483;
export const healthPath = '/api/v1/health';
export const partialHistory = 'The service cannot read a part of the history: points are missing.';

export const sleep = (seconds: number): Promise<unknown> =>
  setTimeout(Math.min(seconds, longestTimer) * 1000);

/** A text as one line, without control characters and marks that change its direction. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();

/** A text as one line of at most `length` characters. */
const shorten = (text: string, length: number): string =>
  [...printable(text)].slice(0, length).join('');

/** A key, complete or cut: only its id may be printed. */
const keyText = /aik_([0-9A-Za-z]+)_[0-9A-Za-z]+/g;

/** An invalid key or address. `message` names the setting, never the value. */
export class SettingError extends TypeError {}

/** A file that cannot be used, or would lose data. `message` is one line. */
export class FileError extends Error {}

/** Returns a key or address without surrounding blanks. Throws a SettingError. */
const checkCharacters = (name: string, given: string): string => {
  const text = given.trim();
  if (text === '') throw new SettingError(`${name} is not set.`);
  const found = /[^\x21-\x7e]/u.exec(text);
  if (found === null) return text;
  const point = found[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  const code = found[0] === ' ' ? 'a space' : `U+${point}`;
  throw new SettingError(
    `${name} has ${code} at character ${found.index + 1}: copy it again without quotes and line ends.`,
  );
};

/** Returns an address without `/` or `/api/v1` at its end. Throws a SettingError. */
const checkAddress = (name: string, given: string): string => {
  const text = checkCharacters(name, given);
  if (!/^https?:\/\//i.test(text))
    throw new SettingError(`${name} does not begin with http:// or https://.`);
  const { hostname = '', port = '0' } = URL.canParse(text) ? new URL(text) : {};
  // A label of a host has 1 to 63 characters (RFC 1035, section 2.3.4).
  if (port === '0' || /^\.|\.\.|[^.]{64}/.test(hostname))
    throw new SettingError(`${name} has no valid host or port.`);
  if (/^[^/]*\/\/[^/?#]*@/.test(text))
    throw new SettingError(`${name} has a user or a password: the key is the only credential.`);
  if (/[?#]/.test(text)) throw new SettingError(`${name} has a query or a fragment.`);
  return text.replace(/(?:\/+api\/v1)?\/*$/, '');
};

/** A response with any status. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON; `undefined` for other texts. */
  readonly body: unknown;
}

interface Window {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: Date;
}

/** The quota in the last response. The variant form has an hour instead of the minute. */
export interface Quota {
  readonly minute: Window | undefined;
  readonly day: Window | undefined;
}

/** Epoch milliseconds of an IMF-fixdate; `undefined` for other texts. */
const timeOf = (text: string): number | undefined => {
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/.test(text);
  const time = isDate ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};

/** The time of the responding server. The clock of this machine may be wrong. */
export const nowOf = ({ headers }: Reply): number =>
  timeOf(headers.get('Date') ?? '') ?? Date.now();

/** The seconds in `Retry-After`, which has a number or a date: at least 1. */
const secondsOf = (reply: Reply): number | undefined => {
  const text = reply.headers.get('Retry-After')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Math.max(1, Number(text));
  const until = timeOf(text);
  return until === undefined ? undefined : Math.max(1, Math.round((until - nowOf(reply)) / 1000));
};

const windowOf = ({ headers }: Reply, name: '' | '-Day'): Window | undefined => {
  const texts = ['Limit', 'Remaining', 'Reset'].map(
    (part) => headers.get(`X-RateLimit${name}-${part}`) ?? '',
  );
  if (!texts.every((text) => /^\d{1,10}$/.test(text))) return undefined;
  const [limit = 0, remaining = 0, reset = 0] = texts.map(Number);
  return { limit, remaining, reset: new Date(reset * 1000) };
};

const isoTime = (instant: Date): string => instant.toISOString().replace(/\.\d+/, '');

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A failed request. `message` is one line. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly reply: Reply | undefined;
  /** 0 without a complete response. */
  readonly status: number;
  /** `not_found` …; empty without an error of the service. */
  readonly code: string;
  readonly text: string;
  readonly requestId: string;
  /** True if the service sent the response, and nothing before it. */
  readonly fromService: boolean;
  readonly retryAfter: number | undefined;
  /** By the clock of the service. */
  readonly retryAt: Date | undefined;
  /** True if a Service with `wait` would have continued. */
  waitHelps = false;
  /** True if a setting of this machine prevents a response. */
  isSetup = false;

  constructor(message = '', reply?: Reply, cause?: unknown) {
    super(message, { cause });
    const body = isRecord(reply?.body) ? reply.body : {};
    const told = isRecord(body['error']) ? body['error'] : { ...body, code: body['error'] };
    const textOf = (name: string) => (typeof told[name] === 'string' ? told[name] : '');
    this.reply = reply;
    this.status = reply?.status ?? 0;
    this.code = textOf('code');
    this.text = textOf('message');
    this.requestId = reply?.headers.get('X-Request-Id') ?? textOf('request_id');
    this.fromService = this.requestId !== '';
    this.retryAfter = reply && secondsOf(reply);
    if (reply && this.retryAfter) this.retryAt = new Date(nowOf(reply) + this.retryAfter * 1000);
  }

  /** True if the same request may succeed later. */
  get mayPass(): boolean {
    return !this.isSetup && (this.status === 0 || this.status === 429 || this.status >= 500);
  }
}

export interface ServiceOptions {
  /** Defaults to ARTIST_API_URL. */
  readonly url?: string | undefined;
  /** Defaults to ARTIST_API_KEY. */
  readonly key?: string | undefined;
  /** Waits for quotas without a limit, instead of 5 minutes per request. */
  readonly wait?: boolean | undefined;
  /** Seconds for a response (30), at most 2,147,483. */
  readonly timeout?: number | undefined;
  /** Receives lines about waiting and an end of the key; by default they go to standard error. */
  readonly notice?: ((text: string) => void) | undefined;
  readonly sleep?: ((seconds: number) => Promise<unknown>) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const proxyRemedy =
  'Put the user and password of the proxy into HTTPS_PROXY, as http://USER:PASSWORD@HOST:PORT.';

/** What to change if the next request would fail the same way; otherwise empty. */
const remedyOf = (code: string, message: string): string => {
  if (/CERT|LEAF_SIGNATURE/.test(code))
    return 'If your network replaces certificates, set NODE_EXTRA_CA_CERTS to its root certificate.';
  if (/^ERR_SSL|^EPROTO$/.test(code))
    return 'Check the address: this port might not use TLS (https://).';
  return /^407 |^Proxy response \(407\)/.test(message) ? proxyRemedy : '';
};

/** Sends requests with a key. */
export class Service {
  readonly url: string;
  quota: Quota = { minute: undefined, day: undefined };
  readonly notice: (text: string) => void;
  readonly sleep: (seconds: number) => Promise<unknown>;
  readonly #key: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly longestWait: number;
  /** Milliseconds. */
  readonly #timeout: number;
  readonly #told = new Set<string>();

  constructor(program: string, options: ServiceOptions = {}) {
    const { ARTIST_API_URL = '', ARTIST_API_KEY = '' } = process.env;
    const { url, key, wait = false, timeout = 30, notice = console.error, headers } = options;
    this.url =
      url === undefined
        ? checkAddress('ARTIST_API_URL', ARTIST_API_URL || defaultUrl)
        : checkAddress('url', url);
    this.#key =
      key === undefined
        ? checkCharacters('ARTIST_API_KEY', ARTIST_API_KEY)
        : checkCharacters('key', key);
    this.longestWait = wait ? Number.POSITIVE_INFINITY : 300;
    if (!(timeout > 0)) throw new RangeError(`timeout is ${timeout}, which is not above 0`);
    this.#timeout = Math.ceil(Math.min(timeout, longestTimer) * 1000);
    this.notice = notice;
    this.sleep = options.sleep ?? sleep;
    const agent = `${program}/${version}`;
    this.#headers = { Authorization: `Bearer ${this.#key}`, 'User-Agent': agent, ...headers };
  }

  /** Sends one GET. Rejects with an ApiError without a complete response, and for a redirect. */
  async send(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    if (!/^\/[\x21-\x7e]*$/.test(path))
      throw new TypeError(
        'A path begins with / and has no space: use encodeURIComponent for its parts.',
      );
    const reply = await fetch(this.url + path, {
      headers: { ...this.#headers, ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(this.#timeout),
    })
      .then(async (response): Promise<Reply> => {
        const text = await response.text();
        if (response.status === 200 && text === '') throw new Error('terminated');
        return { status: response.status, headers: response.headers, text, body: parseJson(text) };
      })
      .catch((failure: Error) => {
        throw this.#noResponse(failure);
      });
    const isRedirect = reply.status >= 300 && reply.status < 400 && reply.status !== 304;
    if (isRedirect) throw this.errorOf(reply);
    const quota = { minute: windowOf(reply, ''), day: windowOf(reply, '-Day') };
    if (quota.minute !== undefined) this.quota = quota;
    this.#tellEnd('Sunset', 'the form of this key', '/docs/migration', reply);
    this.#tellEnd('X-Key-Expires', 'this key', '/docs', reply);
    return reply;
  }

  /**
   * Sends a GET up to 5 times. After 429, 5xx and lost connections it waits for `Retry-After`,
   * otherwise longer each time. With `wait`, a 429 of the service does not count. Resolves with a
   * 304, or a 200 with JSON. Rejects with an ApiError otherwise.
   */
  async ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    let [waited, attempt] = [0, 1];
    const isUnbounded = this.longestWait === Number.POSITIVE_INFINITY;
    for (let longer = 2; ; longer = Math.min(2 * longer, 16)) {
      const reply = await this.send(path, headers).catch((failure: Error) => failure);
      if (
        !(reply instanceof Error) &&
        (reply.status === 304 || (reply.status === 200 && reply.body !== undefined))
      )
        return reply;
      const error = reply instanceof Error ? reply : this.errorOf(reply);
      if (!(error instanceof ApiError) || !error.mayPass) throw error;
      const seconds = error.retryAfter ?? Math.round(longer * (5 + 5 * Math.random())) / 10;
      const isQuota = error.status === 429 && error.fromService;
      const isLast = attempt === maxAttempts && !(isQuota && isUnbounded);
      if (isLast || waited + seconds > this.longestWait) {
        error.waitHelps = !isUnbounded && (isQuota || !isLast);
        throw error;
      }
      this.notice(`${error.message.replace(/\.$/, '')}: waiting ${seconds} s`);
      await this.sleep(seconds);
      waited += seconds;
      if (!(isQuota && isUnbounded)) attempt += 1;
    }
  }

  /** The error of a response, with its status, body and headers in one line. */
  errorOf(reply: Reply): ApiError {
    const error = new ApiError('', reply);
    error.message = this.#clean(this.#textOf(error, reply));
    return error;
  }

  #textOf(error: ApiError, reply: Reply): string {
    const { status, headers } = reply;
    const { code, text, requestId, retryAt, fromService } = error;
    const until = retryAt === undefined ? '' : isoTime(retryAt);
    const again = until && ` Retry at ${until}.`;
    const what = `${status} ${code}`.trimEnd();
    const location = headers.get('Location') ?? '';
    if (location !== '' && status < 400 && URL.canParse(location, `${this.url}/`)) {
      const [target] = new URL(location, `${this.url}/`).href.split('?');
      return `${status} redirects to ${target}, which was not requested: the key is sent to ${this.url} only.`;
    }
    if (!fromService) {
      const start = shorten(/<title>([^<]*)/i.exec(reply.text)?.[1] ?? reply.text, 100);
      const remedy = status === 407 ? ` ${proxyRemedy}` : '';
      return `${status} from something before the service (no X-Request-Id): ${start}.${again}${remedy}`;
    }
    if (status < 400) return `${status}: unexpected response`;
    if (status !== 429) return `${what}: ${text || 'no message'} (request_id ${requestId})${again}`;
    const [short, day] = [windowOf(reply, ''), windowOf(reply, '-Day')];
    // The quota has the form of the key, even if the request overrides it: only the current form
    // has days.
    const isVariant = short ? !day : headers.get('X-Envelope-Served') === 'variant';
    const isDay = code === 'quota_exceeded';
    const window = isDay ? day : short;
    const limit = window ? `${window.limit} requests` : 'requests';
    const whose =
      isVariant && !isDay
        ? 'an hour of this key'
        : `a ${isDay ? 'day' : 'minute'} that the keys of your organization share`;
    return `${what}: the ${limit} ${whose} are used up${until && ` until ${until}`}`;
  }

  #noResponse(failure: Error): ApiError {
    const { message, code = '' } = (
      failure.cause instanceof Error ? failure.cause : failure
    ) as NodeJS.ErrnoException;
    const isCut = code === 'UND_ERR_SOCKET' || failure.message === 'terminated';
    // fetch fails without a reason after 407
    const reason = isCut ? 'the response was cut off' : message || code || '407 of a proxy';
    const isProxySet =
      process.env['HTTPS_PROXY'] ?? process.env['https_proxy'] ?? process.env['HTTP_PROXY'];
    const hint =
      isProxySet && !process.env['NODE_USE_ENV_PROXY']
        ? ' (Node uses the proxy in HTTPS_PROXY only with NODE_USE_ENV_PROXY=1, from Node 22.21 on)'
        : '';
    const remedy = remedyOf(code, reason);
    const text = `No response from ${this.url}: ${reason}${hint}${remedy && `. ${remedy}`}`;
    const error = new ApiError(this.#clean(text), undefined, failure);
    error.isSetup = remedy !== '';
    return error;
  }

  #clean(text: string): string {
    const redacted = text.replaceAll(this.#key, '…').replace(keyText, 'aik_$1_…');
    return shorten(redacted, 500);
  }

  #tellEnd(name: string, what: string, page: string, reply: Reply): void {
    const text = reply.headers.get(name) ?? '';
    const [end, now] = [timeOf(text), nowOf(reply)];
    const days = end === undefined ? 0 : Math.floor((end - now) / 86_400_000);
    if (text === '' || (name === 'X-Key-Expires' && days >= 30)) return;
    const day = end === undefined ? text : isoTime(new Date(end));
    const when =
      end === undefined
        ? `ends: ${text}.`
        : end > now
          ? `ends on ${day}, in ${days} days.`
          : `ended on ${day} and may be refused at any time.`;
    this.tellOnce(name, `${name}: ${what} ${when} Read ${this.url}${page}`);
  }

  /** Calls `notice` with the first line of a kind. */
  tellOnce(kind: string, text: string): void {
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    this.notice(this.#clean(text));
  }
}

/** Why a system call failed, without the code before it and the call after it. */
export const reasonOf = ({ message }: Error): string =>
  message.replace(/^E[A-Z0-9]+: (.+?), .*$/s, '$1').replace(/^./, (first) => first.toUpperCase());

/** Ends the program with one line on standard error and exit code 1. */
export const end = (reason: string): never => {
  console.error(printable(reason));
  process.exit(1);
};

/** Reads the arguments. An unknown option ends the program. */
export const parseArguments = <Options extends ParseArgsConfig['options']>(options: Options) => {
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (failure) {
    return end(`${failure instanceof Error ? failure.message : failure} See --help.`);
  }
};

/** Runs a program. A failure ends it with one line and exit code 1, a bug with its stack. */
export const run = async (main: () => Promise<void> | void): Promise<void> => {
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code === 'EPIPE') process.exit(141); // a reader such as `head` has enough
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
