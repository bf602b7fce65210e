import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { adjustedOf, askAsVariant } from '../../../partners/moving/moving.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import { clientsFolder } from '../../../src/runtime/config.ts';
import { expectContract, isJson } from '../contract.ts';
import { artistIds, type Shortlist } from '../forms/random-shortlist.ts';
import { type RawReply, type RawRequest, sendRaw } from '../raw.ts';
import { type Outcome, runProgramFile } from './programs.ts';
import { startProgram } from './start-program.ts';

/** A gateway that is asked in the current form, and what no answer of that has. */
export interface MovingFrom {
  /** Host and port. */
  readonly host: string;
  /** A key of the current form. */
  readonly key: string;
  readonly documentIds: Readonly<Record<string, string>>;
  readonly labelsTracked: readonly string[];
  readonly partner: string;
  /** Environment variables in place of those that host and key make. */
  readonly env?: Readonly<Record<string, string>>;
}

/** An answer in the variant form, the body as JSON without blanks. */
export interface MovingAnswer {
  readonly status: number;
  readonly text: string;
  /** `X-Params-Adjusted`, empty without one. */
  readonly adjusted: string;
}

/**
 * What no answer of the current form has, of a shortlist: with the pairs of artists that may still
 * come.
 */
export const givenOf = ({ artists, labels }: Shortlist) => ({
  documentIds: Object.fromEntries([
    ...artistIds.map((id) => [id, `doc-${id}`]),
    ...artists.map(({ id, _id }) => [id, _id]),
  ]),
  labelsTracked: labels.map(({ name }) => name).sort(byCodePoint),
});

/** Without the message of an error, which is a text for people. */
export const withoutMessage = ({
  status,
  text,
}: Pick<MovingAnswer, 'status' | 'text'>): readonly [status: number, text: string] => {
  const body = JSON.parse(text);
  return [
    status,
    status < 400 || !isJson(body)
      ? text
      : JSON.stringify({ ...body, message: typeof body['message'] }),
  ];
};

/** A program in `partners/moving`, or its library. */
export interface Mover {
  ask(from: MovingFrom, target: string): Promise<MovingAnswer>;
  close(): Promise<void>;
}

/** The library in this process. */
export const openLibrary = async (): Promise<Mover> => ({
  async ask({ host, key, documentIds, ...given }, target) {
    const send = async (path: string) => {
      const response = await fetch(`http://${host}${path}`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      return { status: response.status, body: await response.json() };
    };
    const identifiers = new Map(Object.entries(documentIds));
    const { status, body } = await askAsVariant(target, send, {
      ...given,
      documentIds: identifiers,
    });
    return {
      status,
      text: JSON.stringify(body),
      adjusted: status === 200 || status === 404 ? adjustedOf(target) : '',
    };
  },
  close: async () => {},
});

/** `moving serve` in a language, in a process of its own. */
export interface Serving {
  readonly url: string;
  readonly port: number;
  /**
   * Sends a request. Fails, as a strict client does, when the answer violates the contract of the
   * variant form.
   */
  send(target: string, request?: Omit<RawRequest, 'path'>): Promise<RawReply>;
  /** What it has written to stderr. */
  errors(): string;
  /** Ends it, by default by a kill; resolves with its exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** Writes what no answer of the current form has, as a partner has it; returns the arguments that name it. */
const writeGiven = (folder: string, { documentIds, labelsTracked, partner }: MovingFrom) => {
  const [ids, labels] = [join(folder, 'ids.csv'), join(folder, 'labels.txt')];
  const rows = Object.entries(documentIds).map(([id, documentId]) =>
    [documentId, id].map(quoted).join(','),
  );
  // as a spreadsheet saves it
  writeFileSync(ids, `\uFEFF${['variant,current', ...rows, ''].join('\r\n')}`);
  writeFileSync(labels, labelsTracked.map((label) => `${label}\n`).join(''));
  return ['--ids', ids, '--labels', labels, '--partner', partner];
};

const environmentOf = ({ key, host, env }: MovingFrom): Readonly<Record<string, string>> => ({
  ARTIST_API_KEY: key,
  ARTIST_API_URL: `http://${host}`,
  ...env,
});

/** The file of the program in a language. */
export const movingFile = (kind: string): string => join(clientsFolder, `moving.${kind}`);

/**
 * Writes the program into a folder, without its pause before it asks again, and with other words in
 * place of some. Returns its file.
 */
export const writeImpatient = (
  kind: string,
  folder: string,
  [words, others]: readonly [words: string, others: string] = ['', ''],
): string => {
  const file = join(folder, `moving-${words === '' ? 'as-it-is' : 'changed'}.${kind}`);
  const text = readFileSync(movingFile(kind), 'utf8');
  // A number of Python has no separator here.
  const [own, theirs] =
    kind === 'py' ? [words, others].map((one) => one.replace('_0', '0')) : [words, others];
  const changed = own === '' ? text : text.replaceAll(own ?? '', theirs ?? '');
  if (words !== '' && changed === text) throw new Error(`${movingFile(kind)} has no ${own}.`);
  writeFileSync(file, changed.replace(/^(PAUSE|const pause) = 20/m, '$1 = 0'));
  return file;
};

/** Runs `moving check` over calls, each in a line. `program` is its file, `more` what else it is given. */
export const runCheck = async (
  program: string,
  from: MovingFrom,
  calls: readonly string[],
  ...more: readonly string[]
): Promise<Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), 'moving-'));
  const file = join(folder, 'calls.txt');
  writeFileSync(file, calls.map((call) => `${call}\n`).join(''));
  const given = writeGiven(folder, from);
  const outcome = await runProgramFile(program, ['check', file, ...given, ...more], {
    env: environmentOf(from),
  });
  rmSync(folder, { recursive: true });
  return outcome;
};

export const startServing = async (
  kind: string,
  from: MovingFrom,
  ...more: readonly string[]
): Promise<Serving> => {
  const folder = mkdtempSync(join(tmpdir(), 'moving-'));
  const parameters = ['serve', '--port', '0', ...writeGiven(folder, from), ...more];
  const program = await startProgram(movingFile(kind), parameters, { env: environmentOf(from) });
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
  const [, port] = /^http:\/\/\S+:(\d+)/.exec(line) ?? [];
  return {
    url: `http://127.0.0.1:${port}`,
    port: Number(port),
    async send(target, request = {}) {
      const reply = await sendRaw(Number(port), { ...request, path: target });
      expectContract(target, {
        ...reply,
        text: request.method === 'HEAD' ? undefined : reply.text,
      });
      return reply;
    },
    errors: () => errors,
    end(signal = 'SIGKILL') {
      program.signal(signal);
      return program.ended;
    },
  };
};

/**
 * `moving serve` in a language: one process for each key and all that is given, the last of which
 * runs on.
 */
const openServing = (kind: string) => async (): Promise<Mover> => {
  const running = new Map<string, { readonly given: string; readonly serving: Serving }>();
  return {
    async ask(from, target) {
      const id = `${from.host} ${from.key}`;
      const given = JSON.stringify(from);
      let one = running.get(id);
      if (one?.given !== given) {
        await one?.serving.end();
        one = { given, serving: await startServing(kind, from) };
        running.set(id, one);
      }
      const { status, text, headers } = await one.serving.send(target);
      return { status, text, adjusted: String(headers['x-params-adjusted'] ?? '') };
    },
    async close() {
      for (const { serving } of running.values()) await serving.end();
    },
  };
};

/** `moving serve` by the ending of its file. */
export const movers: Readonly<Record<string, () => Promise<Mover>>> = {
  py: openServing('py'),
  mjs: openServing('mjs'),
};
