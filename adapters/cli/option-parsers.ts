import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { type Scope, scopes } from '../../src/domain/caller.ts';
import type { Day } from '../../src/domain/day.ts';

/** How the values of options are read. What cannot be read is a wrong call, and the message says what can. */

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const isUnit = (text: string | undefined): text is keyof typeof unitMs => text !== undefined && text in unitMs;

/** `90s`, `30m`, `12h` or `7d`, in milliseconds. */
export const readDuration = (text: string): number => {
  const [, count, unit] = /^([0-9]{1,5})([smhd])$/.exec(text) ?? [];
  if (!isUnit(unit)) throw new InvalidArgumentError('It must be a duration: 90s, 30m, 12h or 365d.');
  return Number(count) * unitMs[unit];
};

/** A duration in milliseconds, or `never`. */
export const readLifetime = (text: string): number | 'never' => (text === 'never' ? text : readDuration(text));

/** Comma-separated scopes, each once, in the order that they are always listed in. */
export const readScopeList = (text: string): readonly Scope[] => {
  const given = text.split(',').map((part) => part.trim());
  const known: readonly string[] = scopes;
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const what = unknown === '' ? 'An empty name' : unknown;
    throw new InvalidArgumentError(`${what} is no scope: they are ${scopes.join(',')}.`);
  }
  return scopes.filter((scope) => given.includes(scope));
};

const largestLimit = 1_000_000_000;

/** A number of requests, or `default` for what the form gives everybody. */
export const readLimit = (text: string): number | 'default' => {
  if (text === 'default') return text;
  const limit = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (limit <= largestLimit) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${largestLimit}, or default.`);
};

/** How many entries to list. */
export const readCount = (text: string): number => {
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
};

/** A calendar day. */
export const readDay = (text: string): Day => {
  if (z.iso.date().safeParse(text).success) return text;
  throw new InvalidArgumentError('It must be a day, like 2027-06-30.');
};

const longestName = 200;

/** A name that is shown to people. */
export const readName = (text: string): string => {
  const name = text.trim();
  if (name !== '' && name.length <= longestName && !/\p{Cc}/u.test(name)) return name;
  throw new InvalidArgumentError(`It must be 1 to ${longestName} characters on one line.`);
};

/** Why an organization cannot be created with this id: it becomes part of counters' names and of command lines. */
export const whyNotOrganizationId = (text: string): string | undefined =>
  /^[0-9A-Za-z][0-9A-Za-z_.-]{0,63}$/.test(text)
    ? undefined
    : 'The id of an organization must be 1 to 64 letters, digits, dots, dashes or underscores.';

/** A key's text has no place on a command line, where everybody on the machine can read it. */
const refuseKeyText = (text: string): void => {
  const [, id] = /\baik_([0-9A-Za-z]{1,64})_/.exec(text) ?? [];
  if (id === undefined) return;
  throw new InvalidArgumentError(
    `Name the key by its id, ${id}. Its text was now seen by this machine's process list and your shell's history: rotate it.`,
  );
};

/** The id of a key. */
export const readKeyId = (text: string): string => {
  refuseKeyText(text);
  if (/^[0-9A-Za-z]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the id of a key: 1 to 64 letters and digits, as "keys list" shows them.');
};

/** The id of an organization or a key. */
export const readSubjectName = (text: string): string => {
  refuseKeyText(text);
  return text;
};
