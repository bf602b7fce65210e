import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openServing, type ServeOptions } from '../../../partners/gateway/serve.ts';
import { Service } from '../../../partners/shared/http.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import { adapterFile } from '../../../src/runtime/config.ts';
import { isJson } from '../../../tools/contracts/changes.ts';
import type { ManualClock } from '../clock.ts';
import { expectContract } from '../contract.ts';
import { artistIds, type Shortlist } from '../forms/random-shortlist.ts';
import { type RawReply, type RawRequest, sendRaw } from '../raw.ts';
import { type Outcome, runProgramFile } from './programs.ts';
import { startProgram } from './start-program.ts';

/** A service, and what the variant form sends and no response of the current form has. */
export interface AdapterFrom {
  /** Host and port. */
  readonly host: string;
  readonly key: string;
  readonly documentIds: Readonly<Record<string, string>>;
  readonly labelsTracked: readonly string[];
  readonly partner: string;
}

/** The same of a shortlist, with the identifiers of artists that may be added. */
export const givenOf = ({ artists, labels }: Shortlist) => ({
  documentIds: Object.fromEntries([
    ...artistIds.map((id) => [id, `doc-${id}`]),
    ...artists.map(({ id, _id }) => [id, _id]),
  ]),
  labelsTracked: labels.map(({ name }) => name).sort(byCodePoint),
});

/** Status and body, without the message of an error, which is a text for people. */
export const withoutMessage = ({
  status,
  text,
}: Pick<RawReply, 'status' | 'text'>): readonly [status: number, text: string] => {
  const body = JSON.parse(text);
  const isError = status >= 400 && isJson(body);
  return [status, isError ? JSON.stringify({ ...body, message: typeof body['message'] }) : text];
};

/** Fails, as a strict client does, if the response violates the contract of the variant form. */
const sendTo = async (
  port: number,
  target: string,
  request: Omit<RawRequest, 'path'> = {},
): Promise<RawReply> => {
  const reply = await sendRaw(port, { ...request, path: target });
  const text = request.method === 'HEAD' ? undefined : reply.text;
  expectContract(target, { ...reply, text });
  return reply;
};

/**
 * The adapter in this process, with a clock that its waits move. It reads the service when
 * `refresh` is called.
 */
export const openAdapter = async (
  { host, key, documentIds, labelsTracked, partner }: AdapterFrom,
  clock: ManualClock,
  more: Partial<ServeOptions> = {},
) => {
  const lines: string[] = [];
  const service = new Service('artist-gateway.mjs', {
    url: `http://${host}`,
    key,
    wait: true,
    headers: { 'X-Envelope': 'current' },
    notice: (text) => lines.push(text),
    sleep: async (seconds) => clock.advance(seconds * 1_000),
  });
  const serving = await openServing({
    service,
    given: { documentIds: new Map(Object.entries(documentIds)), labels: labelsTracked },
    partner,
    host: '127.0.0.1',
    port: 0,
    without: [],
    record: undefined,
    clock,
    ...more,
  });
  const port = Number(new URL(serving.url).port);
  return {
    ...serving,
    port,
    /** Lines on standard error. */
    lines,
    send: (target: string, request?: Omit<RawRequest, 'path'>) => sendTo(port, target, request),
  };
};

export type Adapter = Awaited<ReturnType<typeof openAdapter>>;

/** Sends requests through adapters: one for each service and key, opened again for other lists. */
export const openAdapters = (clock: ManualClock) => {
  const running = new Map<string, { readonly given: string; readonly adapter: Adapter }>();
  return {
    async ask(from: AdapterFrom, target: string): Promise<RawReply> {
      const id = `${from.host} ${from.key}`;
      const given = JSON.stringify(from);
      let one = running.get(id);
      if (one?.given !== given) {
        await one?.adapter.close();
        one = { given, adapter: await openAdapter(from, clock) };
        running.set(id, one);
      }
      await one.adapter.refresh();
      return one.adapter.send(target);
    },
    async close() {
      for (const { adapter } of running.values()) await adapter.close();
    },
  };
};

export type Adapters = ReturnType<typeof openAdapters>;

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** Writes the lists as a spreadsheet saves them; returns the arguments that name them. */
export const writeGiven = (
  folder: string,
  { documentIds, labelsTracked, partner }: Omit<AdapterFrom, 'host' | 'key'>,
) => {
  const [ids, labels] = [join(folder, 'ids.csv'), join(folder, 'labels.txt')];
  const rows = Object.entries(documentIds).map(([id, documentId]) =>
    [documentId, id].map(quoted).join(','),
  );
  writeFileSync(ids, `\uFEFF${['variant,current', ...rows, ''].join('\r\n')}`);
  writeFileSync(labels, labelsTracked.map((label) => `${label}\n`).join(''));
  return ['--ids', ids, '--labels', labels, '--partner', partner];
};

const environmentOf = ({ key, host }: AdapterFrom): Readonly<Record<string, string>> => ({
  ARTIST_API_KEY: key,
  ARTIST_API_URL: `http://${host}`,
});

/** Writes the program without its pause before it compares a call again. Returns its file. */
export const writeImpatient = (folder: string): string => {
  const file = join(folder, 'impatient.mjs');
  writeFileSync(
    file,
    readFileSync(adapterFile, 'utf8').replace(/^var pause = 20;/m, 'var pause = 0;'),
  );
  return file;
};

/** Runs `check` over calls, one per line. */
export const runCheck = async (
  program: string,
  from: AdapterFrom,
  calls: readonly string[],
  ...more: readonly string[]
): Promise<Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), 'adapter-'));
  const file = join(folder, 'calls.txt');
  writeFileSync(file, calls.map((call) => `${call}\n`).join(''));
  const given = writeGiven(folder, from);
  const env = environmentOf(from);
  const outcome = await runProgramFile(program, ['check', file, ...given, ...more], { env });
  rmSync(folder, { recursive: true });
  return outcome;
};

/** Starts `serve` as a program, and resolves once it serves. Rejects with its last lines. */
export const startServing = async (from: AdapterFrom, ...more: readonly string[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'adapter-'));
  const parameters = ['serve', '--port', '0', ...writeGiven(folder, from), ...more];
  const program = await startProgram(adapterFile, parameters, { env: environmentOf(from) });
  let errors = '';
  program.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const lines = createInterface({ input: program.stdout });
  const [line] = await Promise.race([
    once(lines, 'line'),
    program.ended.then(() => Promise.reject(Error(errors))),
  ]);
  rmSync(folder, { recursive: true });
  const port = Number(/^http:\/\/\S+:(\d+)/.exec(line)?.[1]);
  return {
    port,
    send: (target: string, request?: Omit<RawRequest, 'path'>) => sendTo(port, target, request),
    /** What it has written to stderr. */
    errors: () => errors,
    /** Ends it, by default by a kill; resolves with its exit code. */
    end(signal: NodeJS.Signals = 'SIGKILL') {
      program.signal(signal);
      return program.ended;
    },
  };
};
