import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCalls } from '../../../partners/gateway/calls.ts';
import { check } from '../../../partners/gateway/check.ts';
import { openServing, type ServeOptions } from '../../../partners/gateway/serve.ts';
import { Service, type ServiceOptions } from '../../../partners/shared/http.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import { isJson } from '../../../tools/contracts/changes.ts';
import type { ManualClock } from '../clock.ts';
import { expectContract } from '../contract.ts';
import { artistIds, type Shortlist } from '../forms/random-shortlist.ts';
import { type RawReply, type RawRequest, sendRaw } from '../raw.ts';

/** A service, and what the variant form sends but no response of the current form has. */
export interface AdapterFrom {
  /** Host and port. */
  readonly host: string;
  readonly key: string;
  readonly documentIds: Readonly<Record<string, string>>;
  readonly labelsTracked: readonly string[];
  readonly partner: string;
}

/** Identifiers and labels of a shortlist, with the identifiers of artists that may be added. */
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

const openService = ({ host, key }: AdapterFrom, options: ServiceOptions) => {
  const lines: string[] = [];
  const service = new Service('artist-gateway.mjs', {
    ...{ url: `http://${host}`, key, headers: { 'X-Envelope': 'current' } },
    notice: (text) => lines.push(text),
    ...options,
  });
  return { service, lines };
};

const givenFrom = ({ documentIds, labelsTracked }: AdapterFrom) => ({
  documentIds: new Map(Object.entries(documentIds)),
  labels: labelsTracked,
});

/**
 * The adapter in this process, with a clock that its waits move. It reads the service when
 * `refresh` is called.
 */
export const openAdapter = async (
  from: AdapterFrom,
  clock: ManualClock,
  more: Partial<ServeOptions> = {},
) => {
  const sleep = async (seconds: number) => clock.advance(seconds * 1_000);
  const { service, lines } = openService(from, { wait: true, sleep });
  const serving = await openServing({
    ...{ service, given: givenFrom(from), partner: from.partner, clock },
    ...{ host: '127.0.0.1', port: 0, without: [], record: undefined, ...more },
  });
  const port = Number(new URL(serving.url).port);
  return {
    ...serving,
    port,
    /** Lines on standard error. */
    lines,
    /** Fails, as a strict client does, if the response violates the contract of the variant form. */
    async send(path: string, request: Omit<RawRequest, 'path'> = {}): Promise<RawReply> {
      const reply = await sendRaw(port, { ...request, path });
      const text = request.method === 'HEAD' ? undefined : reply.text;
      expectContract(path, { ...reply, text });
      return reply;
    },
  };
};

export type Adapter = Awaited<ReturnType<typeof openAdapter>>;

/** Runs `check` in this process over calls, one per line, without a pause unless `sleep` makes it. */
export const runCheck = async (
  from: AdapterFrom,
  calls: readonly string[],
  options: ServiceOptions = {},
) => {
  const folder = mkdtempSync(join(tmpdir(), 'check-'));
  const file = join(folder, 'calls.txt');
  writeFileSync(file, calls.map((call) => `${call}\n`).join(''));
  const { service, lines: errors } = openService(from, { sleep: async () => {}, ...options });
  const printed: string[] = [];
  const exempt = ['message', 'generated_at', '_meta.timestamp'];
  const print = (line: string): void => void printed.push(...line.split('\n'));
  const given = givenFrom(from);
  const compare = async () =>
    check(readCalls(file), { service, given, partner: from.partner, exempt, print });
  const isEqual = await compare().catch((failure: Error) => {
    errors.push(failure.message);
    return false;
  });
  rmSync(folder, { recursive: true });
  return { isEqual, printed, errors };
};
