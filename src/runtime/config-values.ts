import { z } from 'zod';

/** How the texts of settings are read, each with the words for what is allowed. */

export const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^[0-9]{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(least).max(most))
    .meta({ allowed: `a whole number from ${least} to ${most}` });

export const positive = z
  .string()
  .regex(/^[0-9]{1,15}(\.[0-9]{1,6})?$/)
  .transform(Number)
  .pipe(z.number().min(0))
  .meta({ allowed: 'a number, 0 or more' });

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

export const folder = z.string().meta({ allowed: 'a folder' });

/** Secrets stand in these: a message about one never repeats it. */
export const mongodbUrl = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/[^/]+\/[^/?]+(\?.*)?$/)
  .meta({ allowed: 'a mongodb:// URL with the database in its path', secret: true });

export const redisUrl = z
  .string()
  .regex(/^(rediss?|redis\+sentinel):\/\/\S+$/)
  .meta({ allowed: 'a redis://, rediss:// or redis+sentinel:// URL, or several nodes of a cluster', secret: true });
