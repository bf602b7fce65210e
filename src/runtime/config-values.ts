import { z } from 'zod';

/** Schemas of environment variables. `allowed` describes the valid values in the error message. */

export const mode = z
  .string()
  .meta({ allowed: 'production; without it the gateway may be a sandbox' });
export const host = z
  .string()
  .regex(/^[^\s/@]+$/)
  .meta({ allowed: 'a host name or address' });

/** A path; logs show it, so it must not be a URL, which may hold a password. */
export const folder = z
  .string()
  .regex(/^(?!.*(:\/\/|:[^@:]*@))/s)
  .meta({ allowed: 'a folder' });

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const logLevel = z.enum(logLevels).meta({ allowed: logLevels.join(', ') });

const numeric = (
  pattern: RegExp,
  allowed: string,
  [min, max]: readonly [number, number],
  factor = 1,
) =>
  z
    .string()
    .regex(pattern)
    .transform((text) => Number(text) * factor)
    .pipe(z.number().min(min).max(max))
    .meta({ allowed });

/** A whole number in a range. */
export const whole = (min: number, max: number) =>
  numeric(/^[0-9]{1,15}$/, `a whole number from ${min} to ${max}`, [min, max]);

export const positive = numeric(/^[0-9]{1,15}(\.[0-9]{1,6})?$/, 'a number, 0 or more', [
  0,
  Number.POSITIVE_INFINITY,
]);

/** Seconds in the environment, milliseconds in the configuration. */
export const seconds = numeric(
  /^[0-9]{1,6}(\.[0-9]{1,3})?$/,
  'a number of seconds, at least 0.01',
  [10, Number.POSITIVE_INFINITY],
  1000,
);

export const instant = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .meta({ allowed: 'an ISO 8601 instant, like 2026-08-22T12:00:00Z' });

/**
 * An address, without the slashes at its end. It has no credentials, and nothing that a shell would
 * act on: partners paste it.
 */
export const publicUrl = z
  .string()
  .regex(/^https?:\/\/[\p{L}\p{N}.:[\]_-]+(\/[\p{L}\p{N}.:/~%_-]*)?$/u)
  .transform((text) => text.replace(/(?<!\/)\/+$/, ''))
  .meta({
    allowed: 'an http:// or https:// address without a query, like https://api.example.com',
  });

/** Where partners get support. */
export const supportContact = z
  .string()
  .regex(/^([^\s@<>"':/]+@[^\s@<>"'/]+|https?:\/\/[^\s"'<>/?#@]+([/?#][^\s"'<>]*)?)$/)
  .meta({ allowed: 'an e-mail address or an http:// or https:// address' });

/**
 * URLs with `secret` may hold a password: error messages never repeat their value. Stores know
 * which schemes there are.
 */
export const mongodbUrl = z
  .string()
  .regex(/^[a-z][a-z0-9+]*:\/\/[^/]+\/[^/?]+(\?.*)?$/)
  .meta({ allowed: 'a mongodb:// URL with the database in its path', secret: true });

export const redisUrl = z
  .string()
  .regex(/^rediss?(\+sentinel)?:\/\/\S+$/)
  .meta({
    allowed:
      'a redis://, rediss://, redis+sentinel:// or rediss+sentinel:// URL, or several nodes of a cluster',
    secret: true,
  });
