import { SettingError } from '../../src/runtime/config.ts';

/** The parts of a store's URL. Nothing of them is decoded. */
interface UrlParts {
  /** Without `://`. */
  readonly scheme: string;
  /** `undefined` without `@`. */
  readonly credentials: string | undefined;
  /** Hosts with their ports, separated by commas. */
  readonly hosts: string;
  /** Without the first slash; `undefined` where there is none. */
  readonly path: string | undefined;
  /** Without the question mark; `undefined` where there is none. */
  readonly query: string | undefined;
}

/**
 * The error of a URL that a store cannot open. The URL may hold a password, so `cause` repeats no
 * text of it but names of options.
 */
export const unusableUrl = (variable: string, cause: string): SettingError =>
  new SettingError(`${variable} is not usable: ${cause}.`);

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const quotes = /^["'`“”„‘’«»]|["'`“”„‘’«»]$/u;

/** Blanks, control characters, and what cannot be seen, as a byte order mark. */
const unseen = /[\s\p{Cc}\p{Cf}]/u;

/** What a URL gives another meaning, and a percent sign that begins no code. */
const unencoded = /[@/?#[\]]|%(?![0-9a-f]{2})/i;

const placeOf = (text: string, index: number): string =>
  index === 0 ? 'at its start' : index >= text.length - 1 ? 'at its end' : 'in it';

const isDecodable = (text: string): boolean => {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
};

/** Why the credentials cannot be read: the first character that must be encoded. */
const encodingFault = (credentials: string, mayHaveColons: boolean): string | undefined => {
  const colon = credentials.indexOf(':');
  const end = colon === -1 ? credentials.length : colon;
  const second = mayHaveColons || colon === -1 ? -1 : credentials.indexOf(':', colon + 1);
  const first = credentials.search(new RegExp(`${unencoded.source}|\\s`, 'i'));
  const index = first === -1 || (second !== -1 && second < first) ? second : first;
  const character = index === -1 ? '' : credentials.charAt(index);
  if (character === '')
    return isDecodable(credentials)
      ? undefined
      : 'a code like %E4 in its user or password is not UTF-8: encode them again';
  const shown = /\s/.test(character) ? `a blank (${codeOf(character)})` : `"${character}"`;
  return `${shown} in its ${index < end ? 'user' : 'password'} must be written as ${encodeURIComponent(character)}`;
};

/**
 * Where the credentials end: at the last `@` before hosts. A password that was not encoded may hold
 * `/`, `?` and `#`, and then an `@` stands behind what looks like hosts; in the value of an option
 * one is allowed.
 */
const endOfCredentials = (rest: string): number => {
  const authorityEnd = rest.search(/[/?#]/);
  if (authorityEnd === -1) return rest.lastIndexOf('@');
  const query = rest.indexOf('?', authorityEnd);
  const path = rest.slice(authorityEnd, query === -1 ? undefined : query);
  const authority = rest.slice(0, authorityEnd);
  if (path.includes('@')) return rest.lastIndexOf('@');
  const isCut = rest.charAt(authorityEnd) !== '/' && !authority.includes('@');
  // ":" begins a port of digits, or a password that was cut
  const hasPort = /^[^:]*(:[0-9]+)?(,[^:]*(:[0-9]+)?)*$/.test(authority.replace(/\[[^\]]*\]/g, ''));
  return isCut || !(hasPort || authority.includes('@'))
    ? rest.lastIndexOf('@')
    : authority.lastIndexOf('@');
};

/**
 * Reads the URL of a store (decisions, "Settings"). Throws a `SettingError` with the cause when it
 * has quotes, blanks or line ends around it, another scheme, or characters that must be encoded;
 * with `mayHaveColons` a colon in a password need not.
 */
export const readStoreUrl = (
  variable: string,
  url: string,
  schemes: readonly string[],
  { mayHaveColons = false } = {},
): UrlParts => {
  const refuse = (cause: string): never => {
    throw unusableUrl(variable, cause);
  };
  if (/[\r\n]/.test(url))
    refuse(`it has a line end ${placeOf(url, url.search(/[\r\n]/))}: remove it`);
  if (quotes.test(url.trim())) refuse('it has quotes around it: remove them');
  const [outside = ''] = /^[\s\p{Cc}\p{Cf}]|[\s\p{Cc}\p{Cf}]$/u.exec(url) ?? [];
  if (outside !== '')
    refuse(
      `it has a blank or unseen character (${codeOf(outside)}) ${placeOf(url, url.lastIndexOf(outside))}: remove it`,
    );
  const [all = '', scheme = ''] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(url) ?? [];
  const begins = schemes.map((each) => `${each}://`).join(' or ');
  if (all === '') refuse(`it must begin with ${begins}`);
  if (!schemes.includes(scheme)) refuse(`it begins with ${all} and must begin with ${begins}`);

  const rest = url.slice(all.length);
  const end = endOfCredentials(rest);
  const credentials = end === -1 ? undefined : rest.slice(0, end);
  const fault = credentials === undefined ? undefined : encodingFault(credentials, mayHaveColons);
  if (fault !== undefined) refuse(fault);
  const behind = rest.slice(end + 1);
  const blank = behind.search(unseen);
  if (blank !== -1)
    refuse(`it has a blank or unseen character (${codeOf(behind.charAt(blank))}) in it`);
  if (behind.includes('#')) refuse('"#" must be written as %23');
  const [, hosts = '', path, query] = /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(behind) ?? [];
  if (hosts === '') refuse('it names no host');
  return { scheme, credentials, hosts, path, query };
};

/** A host and its port, as a URL has them; `undefined` where they are none. */
export const readHost = (
  text: string,
  defaultPort: number,
): { readonly host: string; readonly port: number } | undefined => {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]@/]+))(?::([0-9]{1,5}))?$/i.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? defaultPort);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
};

/** What is wrong with one of the hosts: without their texts, which may be a part of a password. */
export const hostFault =
  'one of its hosts is not HOST or HOST:PORT, with a port from 1 to 65535 and an IPv6 address in brackets';

/** The cause of an option that is unknown. A text that cannot be a name is not repeated. */
export const unknownOption = (name: string | undefined, known: string): string =>
  /^[A-Za-z_.]{1,40}$/.test(name ?? '')
    ? `its option "${name}" is unknown: ${known}`
    : `one of its options is unknown: ${known}`;
