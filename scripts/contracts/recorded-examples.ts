import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** A recorded request and its response. */
const recordedExchange = z.object({
  request: z.object({ method: z.string().optional(), path: z.string() }),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.unknown(),
});

export type RecordedExample = z.infer<typeof recordedExchange>;

/** A form's recorded exchanges, by name. */
export type RecordedExamples = ReadonlyMap<string, RecordedExample>;

/**
 * The placeholder of the request id in recordings, since it differs in every response, and the id
 * that examples show.
 */
const placeholder = '<request id>';
export const exampleRequestId = '3f1c9a52-7d08-4b6e-9c41-0a5e8d27b6f3';

/**
 * Reads the recorded exchanges in a form's folder; a form without a folder has none. Throws when a
 * file cannot be read or has another format.
 */
export const readRecordedExamples = (folder: string): RecordedExamples =>
  new Map(
    (existsSync(folder) ? readdirSync(folder) : []).map((file) => {
      const text = readFileSync(join(folder, file), 'utf8').replaceAll(
        placeholder,
        exampleRequestId,
      );
      return [file.replace(/\.json$/, ''), recordedExchange.parse(JSON.parse(text))] as const;
    }),
  );

/**
 * Finds an exchange by name. Throws when there is none, so that no contract is published without
 * its examples.
 */
export const recordedExample = (recorded: RecordedExamples, name: string): RecordedExample => {
  const exchange = recorded.get(name);
  if (exchange === undefined)
    throw new Error(
      `There is no recorded exchange ${name}: record it (npm run exchanges:record) before a contract names it.`,
    );
  return exchange;
};
