import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { maxDayTotalAge } from '../../adapters/stores/documents/usage-documents.ts';
import { plainText } from '../../adapters/text/plain-text.ts';
import { type Scope, scopes } from '../../src/domain/caller.ts';
import type { Day } from '../../src/domain/day.ts';
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts';
import { findKeyId } from '../../src/keys/key-format.ts';
import { UsageError } from './terminal/messages.ts';

/** Parsers of option values. An invalid value exits with 2; the message says what is allowed. */

const unitMs = { s: 1_000, m: minuteMs, h: hourMs, d: dayMs } as const;

const isUnit = (text: string | undefined): text is keyof typeof unitMs =>
  text !== undefined && text in unitMs;

/** `90s`, `30m`, `12h` or `7d`, in milliseconds. */
export const readDuration = (text: string): number => {
  const [, count, unit] = /^([0-9]{1,5})([smhd])$/.exec(text) ?? [];
  if (isUnit(unit)) return Number(count) * unitMs[unit];
  throw new InvalidArgumentError('It must be a duration: 90s, 30m, 12h or 365d.');
};

/**
 * When a key expires, in epoch milliseconds, if it is made `at` an instant; `undefined` for never.
 */
type Expiry = (at: number) => number | undefined;

/** Keys that expire do so before this instant: a later one is a slip, and `never` exists. */
const afterLastExpiry = Date.parse('2100-01-01');

const beforeLast = (expiresAt: number, text: string): number => {
  if (expiresAt < afterLastExpiry) return expiresAt;
  throw new UsageError(`${text} is too late: a key expires in 2099 at the latest, or never.`);
};

/**
 * A duration of more than 0; a day, at whose beginning (UTC) the key expires; or `never`. What ends
 * after 2099 is refused when the key is made.
 */
export const readExpiry = (text: string): Expiry => {
  if (text === 'never') return () => undefined;
  if (z.iso.date().safeParse(text).success)
    return (at) => {
      if (Date.parse(text) > at) return beforeLast(Date.parse(text), text);
      throw new UsageError(`${text} has already begun: a key expires when a day begins (UTC).`);
    };
  if (/^0+[smhd]$/.test(text))
    throw new InvalidArgumentError('It must be more than 0: the key would never be valid.');
  if (/^[0-9]{1,5}[smhd]$/.test(text)) return (at) => beforeLast(at + readDuration(text), text);
  throw new InvalidArgumentError(
    'It must be a duration like 12h or 365d, a day like 2027-06-30, or never.',
  );
};

/** Comma-separated scopes, each once, in the order of `scopes`. */
export const readScopeList = (text: string): readonly Scope[] => {
  const given = text.split(',').map((part) => part.trim());
  const known: readonly string[] = scopes;
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const what = unknown === '' ? 'An empty name' : unknown;
    throw new InvalidArgumentError(`${what} is not a scope. Scopes: ${scopes.join(',')}.`);
  }
  return scopes.filter((scope) => given.includes(scope));
};

/**
 * Creates a parser of whole numbers in a range; `more` ends the sentence that says what is allowed.
 */
export const createNumberParser =
  (least: number, most: number, more = '') =>
  (text: string): number => {
    const number = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}${more}.`);
  };

const maxRequests = 1_000_000_000;

export const readRequests = createNumberParser(0, maxRequests);

const readOwnLimit = createNumberParser(0, maxRequests, ', or default');

/** A number of requests, or `default` for the form's own limit. */
export const readLimit = (text: string): number | 'default' =>
  text === 'default' ? text : readOwnLimit(text);

/** The limit that a key or organization has after a change; `undefined` for the form's own. */
export const limitAfter = (
  given: ReturnType<typeof readLimit> | undefined,
  before?: number,
): number | undefined => (given === 'default' ? undefined : (given ?? before));

export const readCount = createNumberParser(1, 999_999);

export const readUsageDays = createNumberParser(1, maxDayTotalAge, ': usage is kept that long');

export const readDay = (text: string): Day => {
  if (z.iso.date().safeParse(text).success) return text;
  throw new InvalidArgumentError('It must be a day, like 2027-06-30.');
};

export const readBaseUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === '')
  )
    return url;
  throw new InvalidArgumentError(
    'It must be an http:// or https:// URL without credentials, query or fragment.',
  );
};

export const readBaseUrlOrPath = (text: string): URL | string =>
  /^https?:/.test(text) ? readBaseUrl(text) : text;

const maxNameLength = 200;

/** A display name or another text that is stored. */
export const readName = (text: string): string => {
  refuseKeyText(text, 'Never store the text of a key: refer to it by its id');
  const name = text.trim();
  if (name !== '' && name.length <= maxNameLength && plainText(name) === name) return name;
  throw new InvalidArgumentError(
    `It must be 1 to ${maxNameLength} visible characters on one line, without CI commands (##[…], ::…).`,
  );
};

/**
 * Why an organization cannot have this id, which becomes part of Redis keys and command lines;
 * `undefined` when it can.
 */
export const organizationIdError = (text: string): string | undefined =>
  /^[0-9A-Za-z][0-9A-Za-z_.-]{0,63}$/.test(text)
    ? undefined
    : 'The id of an organization must be 1 to 64 letters, digits, dots, dashes or underscores, and begin with a letter or digit.';

/** Refuses the text of a key: every user of the machine can read command lines. */
const refuseKeyText = (text: string, advice = 'Refer to the key by its id'): void => {
  const id = findKeyId(text);
  if (id === undefined) return;
  throw new InvalidArgumentError(
    `${advice}, ${id}. Its text is now in this machine's process list and your shell's history: rotate it with --overlap 0s.`,
  );
};

export const readKeyId = (text: string): string => {
  refuseKeyText(text);
  if (/^[0-9A-Za-z]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError(
    'It must be the id of a key: 1 to 64 letters and digits, as "keys list" shows them.',
  );
};

/** The id of an organization, or of an organization or a key. */
export const readSubjectName = (text: string): string => {
  refuseKeyText(text);
  return text;
};

/**
 * The text of a file, without a byte order mark. Rejects with a `UsageError` that says why it cannot
 * be read.
 */
const readText = async (path: string): Promise<string> => {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'ENOENT' ? 'no such file' : `cannot be read (${cause.code})`;
    throw new UsageError(`${path}: ${reason}.`, { cause });
  });
  return text.replace(/^\uFEFF/, '');
};

/** The content of a file. Rejects with a `UsageError` that says what the file `must` be. */
export const readJsonFile = async <Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  must: string,
) => {
  const text = await readText(path);
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new UsageError(`${path}: must ${must}.`, { cause });
  }
};
