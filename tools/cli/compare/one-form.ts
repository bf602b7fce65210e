import type { ComparisonCase } from '../../compare/cases/cases.ts';
import type { RunResult } from '../../compare/results.ts';
import {
  type Recording,
  readFacts,
  recordingSchema,
  replayRecording,
  runSameForm,
} from '../../compare/same-form.ts';
import { createResponseCache, withRetryAfter } from '../../compare/targets/client.ts';
import { endWhenRefused } from '../../compare/targets/key-facts.ts';
import { createPartnerClient } from '../../compare/targets/running-target.ts';
import type { ComparedForm } from '../../migration/mapping/forms.ts';
import { readJsonFile } from '../option-parsers.ts';
import { UsageError } from '../terminal/messages.ts';
import { readKeys } from './inputs.ts';
import type { CompareOptions } from './options.ts';
import type { CompareProgress } from './progress.ts';

/** Raises a `UsageError` for options of one form that do not go together. */
export const checkFormOptions = ({
  form,
  baseUrl,
  against,
  record,
  pairs,
}: CompareOptions): void => {
  if (form === undefined && (against ?? record))
    throw new UsageError('--against and --record go with --form.');
  if (form === undefined) return;
  if (baseUrl === undefined) throw new UsageError('--form needs --base-url.');
  if (pairs !== undefined) throw new UsageError('--form takes no --pairs.');
  if ((against ?? record) === undefined)
    throw new UsageError('--form needs --against or --record.');
};

export interface ComparisonRun {
  readonly result: RunResult;
  readonly recording?: Recording;
}

const readRecording = async (path: string, form: ComparedForm): Promise<Recording> => {
  const must = 'be an address of a gateway, or a file that --record wrote';
  const recorded = await readJsonFile(path, recordingSchema, must);
  if (recorded.form === form) return recorded;
  throw new UsageError(`${path} has replies of the ${recorded.form} form.`);
};

const addressOf = ({ href }: URL): string => href.replace(/\/$/, '');

/**
 * Compares one form of two gateways, or of a gateway and a recording. For `--record`, compares the
 * gateway's replies with themselves.
 */
export const compareOneForm = async (
  cases: readonly ComparisonCase[],
  options: CompareOptions & Required<Pick<CompareOptions, 'form' | 'baseUrl'>>,
  { wait, onCase }: CompareProgress,
): Promise<ComparisonRun> => {
  const { form, baseUrl, against, maxWait } = options;
  const keys = readKeys(form);
  const exchanges: Recording['exchanges'] = [];
  const open = (url: URL) => {
    const send = withRetryAfter(createPartnerClient({ baseUrl: url, keys }), wait, maxWait);
    const cache = createResponseCache(async (request) => {
      const reply = await send(request);
      if (url === baseUrl) exchanges.push({ request, reply });
      return reply;
    });
    return { ...cache, send: endWhenRefused(cache.send, cache.sendAgain, keys) };
  };
  const one = open(baseUrl);
  const url = against instanceof URL ? against : undefined;
  const recorded = typeof against === 'string' ? await readRecording(against, form) : undefined;
  const other = url === undefined ? one : open(url);
  const facts = recorded ?? (await readFacts(one.send, form, keys));
  if (url !== undefined)
    await readFacts(other.send, form, keys).catch((cause: Error) => {
      throw new Error(`${addressOf(url)}: ${cause.message}`, { cause });
    });
  const forget = () => {
    one.forget();
    other.forget();
  };
  const second = recorded === undefined ? other.send : replayRecording(recorded);
  const ran = await runSameForm(
    cases,
    { form, first: one.send, second, facts, forget: url === undefined ? undefined : forget },
    onCase,
  );
  const { now, artists } = facts;
  const gateway = addressOf(baseUrl);
  const right = against instanceof URL ? addressOf(against) : against;
  const sides = { left: gateway, right: right ?? 'its recording' };
  const heading = `The ${form} form of ${sides.left}, against ${sides.right}`;
  return {
    result: { ...ran, heading, sides, target: gateway, now },
    recording: { form, gateway, now, artists, exchanges },
  };
};
