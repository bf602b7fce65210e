import { z } from 'zod';

/** Schemas of environment variables. `allowed` describes the valid values in the error message. */

/** A whole number in a range. */
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ allowed: `a whole number from ${min} to ${max}` });

export const positive = z
  .string()
  .regex(/^[0-9]{1,15}(\.[0-9]{1,6})?$/)
  .transform(Number)
  .pipe(z.number().min(0))
  .meta({ allowed: 'a number, 0 or more' });

/** A share of requests. */
export const share = z
  .string()
  .regex(/^[01](\.[0-9]{1,6})?$/)
  .transform(Number)
  .pipe(z.number().min(0).max(1))
  .meta({ allowed: 'a number from 0 to 1, like 0.01' });

/** Seconds in the environment, milliseconds in the configuration. */
export const seconds = z
  .string()
  .regex(/^[0-9]{1,6}(\.[0-9]{1,3})?$/)
  .transform((text) => Number(text) * 1000)
  .pipe(z.number().min(10))
  .meta({ allowed: 'a number of seconds, at least 0.01' });

export const instantSetting = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .meta({ allowed: 'an ISO 8601 instant, like 2026-08-22T12:00:00Z' });

export const publicUrl = z
  .string()
  .regex(/^https?:\/\/[^\s/?#"'<>]+(\/[^\s?#"'<>]*)?$/)
  .transform((text) => text.replace(/\/+$/, ''))
  .meta({ allowed: 'an http:// or https:// address without a query, like https://api.example.com' });

/** Where partners get support. */
export const supportContact = z
  .string()
  .regex(/^([^\s@<>"']+@[^\s@<>"']+|https?:\/\/[^\s"'<>]+)$/)
  .meta({ allowed: 'an e-mail address or an http:// or https:// address' });

export const folder = z.string().meta({ allowed: 'a folder' });

/** URLs with `secret` may hold a password: error messages never repeat their value. */
export const mongodbUrl = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/[^/]+\/[^/?]+(\?.*)?$/)
  .meta({ allowed: 'a mongodb:// URL with the database in its path', secret: true });

export const redisUrl = z
  .string()
  .regex(/^rediss?(\+sentinel)?:\/\/\S+$/)
  .meta({
    allowed: 'a redis://, rediss://, redis+sentinel:// or rediss+sentinel:// URL, or several nodes of a cluster',
    secret: true,
  });
