import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** A recorded question and its answer, from which a contract takes its examples. */
const goldenExchange = z.object({
  request: z.object({ method: z.string().optional(), path: z.string() }),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.unknown(),
});

export type RecordedExample = z.infer<typeof goldenExchange>;

/** A form's golden exchanges by name. */
export type RecordedExamples = ReadonlyMap<string, RecordedExample>;

/** Stands for the id that every response has anew. */
const placeholder = '<request id>';
const shownRequestId = '3f1c9a52-7d08-4b6e-9c41-0a5e8d27b6f3';

/** Reads the golden exchanges of one form; ids of requests look like real ones. */
export const readRecordedExamples = (folder: string): RecordedExamples =>
  new Map(
    readdirSync(folder).map((file) => {
      const text = readFileSync(join(folder, file), 'utf8').replaceAll(placeholder, shownRequestId);
      return [file.replace(/\.json$/, ''), goldenExchange.parse(JSON.parse(text))];
    }),
  );

/** The exchange of this name; a contract that names one which is not there must not be published. */
export const recordedExample = (golden: RecordedExamples, name: string): RecordedExample => {
  const exchange = golden.get(name);
  if (exchange === undefined) throw new Error(`There is no golden exchange ${name}.`);
  return exchange;
};
