import { SettingError } from '../../src/runtime/config.ts';

/** The parts of a store's URL, not decoded. */
interface UrlParts {
  /** Without `://`. */
  readonly scheme: string;
  /** `undefined` without `@`. */
  readonly credentials: string | undefined;
  readonly hosts: readonly string[];
  /** Without the first slash; empty if there is none. */
  readonly path: string;
  /** Without the question mark; `undefined` if there is none. */
  readonly query: string | undefined;
}

/** An error in a URL: a pattern that a wrong URL matches, and the cause. */
export type UrlFault = readonly [matches: RegExp, cause: string];

/**
 * The error for a URL that a store cannot open. The URL may contain a password, so `cause` repeats
 * only names of options.
 */
export const unusableUrl = (variable: string, cause: string): SettingError =>
  new SettingError(`${variable} is not usable: ${cause}.`);

/** The cause for a character that changes the meaning of the rest of the URL. */
export const reservedCharacter =
  'a reserved character in its user, password or an option must be encoded (@ is %40, / is %2F, : is %3A, # is %23, ? is %3F, % is %25)';

/** Errors possible in any store's URL. The first match counts. */
const faults: readonly UrlFault[] = [
  [/^\s*["'`“”„‘’«»]|["'`“”„‘’«»]\s*$/u, 'it has quotes around it: remove them'],
  [/[\r\n]/, 'it has a line end: remove it'],
  [
    /[\s\p{Cc}\p{Cf}]/u,
    'it has a blank or an unseen character: remove it, or encode it (a blank is %20)',
  ],
  [/%(?![0-9a-f]{2})|#|@.*@|\/\/[^@]*[/?[\]][^@]*@/i, reservedCharacter],
  [/:\/\/(.*@)?([/?]|$)/, 'it names no host'],
];

const isDecodable = (text: string): boolean => {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
};

/** Parses a host and its port; `undefined` if they are invalid. */
export const readHost = (
  text: string,
  defaultPort: number,
): { readonly host: string; readonly port: number } | undefined => {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]@/]+))(?::([0-9]{1,5}))?$/i.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? defaultPort);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
};

/**
 * Parses a store's URL (decisions, "Settings"). Throws a `SettingError` with the first error: of
 * any store's, then of `more`.
 */
export const readStoreUrl = (
  variable: string,
  url: string,
  schemes: readonly string[],
  more: readonly UrlFault[],
): UrlParts => {
  const refuse = (cause: string): never => {
    throw unusableUrl(variable, cause);
  };
  const fault = (rows: readonly UrlFault[]) => rows.find(([matches]) => matches.test(url))?.[1];
  const [, scheme = '', credentials, hosts = '', path = '', query] =
    /^([a-z][a-z0-9+.-]*):\/\/(?:([^@]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(url) ?? [];
  const found = fault(faults) ?? (isDecodable(url) ? undefined : reservedCharacter);
  if (!schemes.includes(scheme) && found === undefined)
    refuse(`it must begin with ${schemes.map((each) => `${each}://`).join(' or ')}`);
  if (found !== undefined) refuse(found);
  const list = hosts.split(',');
  if (list.some((host) => readHost(host, 1) === undefined && !host.endsWith('.sock')))
    refuse(
      'one of its hosts is not HOST or HOST:PORT, with a port from 1 to 65535 and an IPv6 address in brackets',
    );
  const other = fault(more);
  if (other !== undefined) refuse(other);
  return { scheme, credentials, hosts: list, path, query };
};
