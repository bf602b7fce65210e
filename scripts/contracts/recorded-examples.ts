import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { packageFolder } from '../../src/runtime/package-folder.ts';

const recordedExchange = z.object({
  request: z.object({ method: z.string().optional(), path: z.string() }),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.unknown(),
});

export type RecordedExample = z.infer<typeof recordedExchange>;

/** Exchanges of a form by name. */
export type RecordedExamples = ReadonlyMap<string, RecordedExample>;

/** Recordings have a placeholder, because each response has another request id. */
const placeholder = '<request id>';
export const exampleRequestId = '3f1c9a52-7d08-4b6e-9c41-0a5e8d27b6f3';

/** Reads the exchanges of a form, if it has any. Throws if a file has another format. */
export const readRecordedExamples = (form: string): RecordedExamples => {
  const folder = join(packageFolder, 'fixtures', 'exchanges', form);
  return new Map(
    (existsSync(folder) ? readdirSync(folder) : []).map((file) => {
      const text = readFileSync(join(folder, file), 'utf8').replaceAll(
        placeholder,
        exampleRequestId,
      );
      return [file.replace(/\.json$/, ''), recordedExchange.parse(JSON.parse(text))] as const;
    }),
  );
};

export const recordedExample = (recorded: RecordedExamples, name: string): RecordedExample => {
  const exchange = recorded.get(name);
  if (exchange === undefined)
    throw new Error(
      `There is no recorded exchange ${name}: record it (npm run exchanges:record) before a contract names it.`,
    );
  return exchange;
};
