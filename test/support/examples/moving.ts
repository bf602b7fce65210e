import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { askAsVariant } from '../../../examples/moving/moving.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import { endProcess, killWithTests } from '../child-process.ts';
import { isJson } from '../contract.ts';
import type { Shortlist } from '../forms/stored-shortlist.ts';

/** A request of the variant form, for a gateway that is asked in the current form. */
export interface MovingQuestion {
  /** Host and port. */
  readonly host: string;
  /** A key of the current form. */
  readonly key: string;
  readonly target: string;
  readonly documentIds: Readonly<Record<string, string>>;
  readonly labelsTracked: readonly string[];
  readonly partner: string;
}

/** An answer in the variant form, the body as JSON without blanks. */
export interface MovingAnswer {
  readonly status: number;
  readonly text: string;
}

/** What no answer of the current form has, of a shortlist. */
export const givenOf = ({ artists, labels }: Shortlist) => ({
  documentIds: Object.fromEntries(artists.map(({ id, _id }) => [id, _id])),
  labelsTracked: labels.map(({ name }) => name).sort(byCodePoint),
});

/** Without the message of an error, which is a text for people. */
export const withoutMessage = ({ status, text }: MovingAnswer): readonly [status: number, text: string] => {
  const body = JSON.parse(text);
  return [status, status < 400 || !isJson(body) ? text : JSON.stringify({ ...body, message: typeof body['message'] })];
};

/** One of the two programs in `examples/moving`. */
export interface Mover {
  ask(question: MovingQuestion): Promise<MovingAnswer>;
  close(): Promise<void>;
}

export const openTypeScript = async (): Promise<Mover> => ({
  async ask({ host, key, target, documentIds, ...given }) {
    const send = async (path: string) => {
      const response = await fetch(`http://${host}${path}`, { headers: { Authorization: `Bearer ${key}` } });
      return { status: response.status, body: await response.json() };
    };
    const identifiers = new Map(Object.entries(documentIds));
    const { status, body } = await askAsVariant(target, send, { ...given, documentIds: identifiers });
    return { status, text: JSON.stringify(body) };
  },
  close: async () => {},
});

const pythonAnswer = z.tuple([z.int(), z.string()]);

const openPython = async (): Promise<Mover> => {
  const program = fileURLToPath(new URL('ask-moving.py', import.meta.url));
  const child = spawn('python3', ['-B', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  killWithTests(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await once(child, 'spawn');
  return {
    async ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value } = await lines.next();
      const [status, text] = pythonAnswer.parse(JSON.parse(value));
      return { status, text: JSON.stringify(JSON.parse(text)) }; // Python writes 1e-07 for the number 1e-7
    },
    close: () => endProcess(child),
  };
};

/** The programs by their language. */
export const movers: Readonly<Record<string, () => Promise<Mover>>> = {
  TypeScript: openTypeScript,
  Python: openPython,
};
