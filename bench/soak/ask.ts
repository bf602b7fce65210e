import { Agent } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { QuotaWindow } from '../../src/domain/caller.ts';
import { createExchange } from '../../test/support/nemesis/exchange.ts';
import type { Exchange } from '../../test/support/nemesis/history.ts';
import { type RawReply, sendRaw } from '../../test/support/raw.ts';
import { bearer } from '../answers.ts';
import type { Form } from '../catalogue/keys.ts';
import type { AnswerCheck, Seen } from './check-answer.ts';
import { meetsOutage, seenBy } from './outages.ts';
import type { SoakKey } from './partners.ts';
import type { Outages } from './restarts.ts';

type Limits = Readonly<Partial<Record<QuotaWindow, number>>>;

/** The usual quotas of each form, with the windows in the order of the headers. */
const limits: Readonly<Record<Form, Limits>> = {
  current: { minute: 10, day: 1_000 },
  variant: { hour: 100 },
};

const subjectOf = ({ form, id, organization }: SoakKey): string =>
  form === 'current' ? `organization:${organization}` : `key:${id}`;

/** The quotas of a subject. */
export const limitsOf = (subject: string): Limits =>
  limits[subject.startsWith('key:') ? 'variant' : 'current'];

/** A key is refused, or accepted, within 5 s of its change, and a request takes its time. */
const keysBoundMs = 6_000;

/** Redis is used again half a second after its return; connecting to it takes time too. */
const graceMs = 2_000;

/** How long before a request the processes may have waited for a core and so be late. */
const starvedGraceMs = 30_000;

/** One body in this many is compared, since a comparison costs as much as many requests. */
const comparedOneIn = 4;

/** Whether an answer reads a history: from MongoDB, unless it is cached. */
const readsHistory = (form: Form, path: string): boolean =>
  form === 'current' && /\/artists\/|include=history/.test(path);

/**
 * The statuses that a request may have. While Redis is away nothing is counted, so everything is
 * 503 (500), and for a while after it is back it may be; so may a history, when eight are read from
 * MongoDB at once or it is away; a key is accepted, or refused, from one instant to another.
 */
const allowedStatuses = (
  { form, issuedAt, revokedAt }: SoakKey,
  path: string,
  [sentAt, answeredAt]: readonly [number, number],
  { mongodb, redis }: Outages,
  starvedSince: (instant: number) => number,
): ReadonlySet<number> => {
  const [served, unavailable] = [[200, 304, 429], form === 'current' ? 503 : 500];
  const known = (at: number): boolean =>
    sentAt > seenBy(at, keysBoundMs, mongodb) &&
    sentAt > seenBy(at, keysBoundMs + starvedSince(at), mongodb);
  if (revokedAt !== undefined && known(revokedAt)) return new Set([401]);
  const mayBeRefused =
    (revokedAt !== undefined && answeredAt >= revokedAt) ||
    (issuedAt !== undefined && !known(issuedAt));
  const isWithoutRedis = redis.some(
    ({ certain }) => certain !== undefined && sentAt > certain.from && answeredAt < certain.to,
  );
  const mayFail =
    meetsOutage(redis, sentAt, answeredAt, graceMs + starvedSince(sentAt - starvedGraceMs)) ||
    readsHistory(form, path);
  return new Set([
    ...(isWithoutRedis ? [] : served),
    ...(mayFail ? [unavailable] : []),
    ...(mayBeRefused ? [401] : []),
  ]);
};

/** A status that a request may not have, with how old the last change of its key was. */
const describeUnexpected = (
  { issuedAt, revokedAt }: SoakKey,
  status: number,
  sentAt: number,
): string => {
  const changedAt = revokedAt ?? issuedAt;
  if (changedAt === undefined) return `status ${status}`;
  const what = revokedAt === undefined ? 'issued' : 'revoked';
  return `status ${status} with a key that was ${what} ${Math.round(sentAt - changedAt)} ms before`;
};

/** What is known of all requests. */
export interface SoakRecord {
  readonly exchanges: Exchange[];
  /** How many there were of each status. */
  readonly statuses: Map<number | 'no answer', number>;
  /** Wrong answers by what is wrong: how many, and the first. */
  readonly wrong: Map<string, { count: number; readonly first: string }>;
  /** How many bodies were compared. */
  compared: number;
  /** The longest time after which a revoked key was accepted, in ms, outages of MongoDB apart. */
  acceptedMs: number;
}

/**
 * Whether the connection was lost before a byte of the answer: the gateway ends one that was idle,
 * perhaps just when a request is sent on it, and every client then sends it again (RFC 9110, 9.2.2).
 */
const hasEndedIdle = (failure: Error): boolean =>
  'code' in failure && failure.code === 'ECONNRESET' && failure.message !== 'aborted';

/** The body of an answer as text. */
const textOf = ({ headers, body, text }: RawReply): string =>
  headers['content-encoding'] === 'gzip' ? String(gunzipSync(body)) : text;

/** Asks a gateway and checks each answer. */
export const createAsk = (
  port: number,
  outages: Outages,
  answers: AnswerCheck,
  starvedSince: (instant: number) => number,
) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const record: SoakRecord = {
    exchanges: [],
    statuses: new Map(),
    wrong: new Map(),
    compared: 0,
    acceptedMs: 0,
  };

  /** What is wrong with an answer; `had` is what the client had when it asked, whose tag it sent. */
  const check = (
    key: SoakKey,
    path: string,
    { sentAt, answeredAt, retryAfter }: Exchange,
    reply: RawReply,
    had: Seen | undefined,
  ): readonly string[] => {
    const { status, headers } = reply;
    const times = [sentAt, answeredAt] as const;
    if (!allowedStatuses(key, path, times, outages, starvedSince).has(status))
      return [describeUnexpected(key, status, sentAt)];
    if (status >= 500 && retryAfter === undefined) return [`${status} without Retry-After`];
    const { form, revokedAt } = key;
    if (revokedAt !== undefined && (status < 400 || status === 429)) {
      const isApart = seenBy(revokedAt, keysBoundMs, outages.mongodb) === revokedAt + keysBoundMs;
      if (isApart) record.acceptedMs = Math.max(record.acceptedMs, sentAt - revokedAt);
    }
    const answered = { form, question: path, sentAt, answeredAt, had, etag: headers.etag };
    if (status === 304) return answers.checkUnchanged(answered);
    if (status !== 200 || Math.random() * comparedOneIn > 1) return [];
    record.compared += 1;
    return answers.checkBody({ ...answered, text: textOf(reply) });
  };

  const note = (what: string, key: SoakKey, path: string): void => {
    const first = `${new Date().toISOString()} ${subjectOf(key)} ${path}: ${what}`;
    const kind = what.replaceAll(/\d+(?= ms)|(?<=artist )\d+/g, 'N');
    const before = record.wrong.get(kind);
    if (before === undefined) {
      record.wrong.set(kind, { count: 1, first });
      process.stderr.write(`  wrong: ${first}\n`);
    } else before.count += 1;
  };

  return {
    record,
    close: () => agent.destroy(),
    /** Asks with a key, half of the time with the tag of an earlier answer. Resolves with the status. */
    async ask(key: SoakKey, path: string, acceptsGzip = false): Promise<number | undefined> {
      const { form, text } = key;
      const isConditional = form === 'current' && Math.random() < 0.5;
      const had = isConditional ? answers.latest(form, path, new Date()) : undefined;
      const headers = {
        ...bearer(text),
        'Accept-Encoding': acceptsGzip ? 'gzip' : undefined,
        'If-None-Match': had?.etag,
      };
      // the keys of a record of windows
      const windows = Object.keys(limits[form]) as QuotaWindow[];
      const send = async (through: Agent | false) => {
        const sentAt = performance.now();
        const reply = await sendRaw(port, { path, headers }, through).catch(
          (failure: Error) => failure,
        );
        const answer = reply instanceof Error ? undefined : { ...reply, body: reply.text };
        return { reply, exchange: createExchange(subjectOf(key), windows, sentAt, answer) };
      };
      let { reply, exchange } = await send(agent);
      if (reply instanceof Error && hasEndedIdle(reply)) {
        record.exchanges.push(exchange);
        ({ reply, exchange } = await send(false));
      }
      const status = reply instanceof Error ? 'no answer' : reply.status;
      record.statuses.set(status, (record.statuses.get(status) ?? 0) + 1);
      if (status !== 401) record.exchanges.push(exchange); // it is of no caller and spends nothing
      const wrong =
        reply instanceof Error
          ? [`no answer (${reply.message})`]
          : check(key, path, exchange, reply, had);
      for (const what of wrong) note(what, key, path);
      return reply instanceof Error ? undefined : reply.status;
    },
  };
};

export type Ask = ReturnType<typeof createAsk>['ask'];
