import type { ComparisonCase } from '../../compare/cases/cases.ts';
import type { RunResult } from '../../compare/results.ts';
import {
  type Recording,
  recordExchanges,
  recordingSchema,
  replayRecording,
} from '../../compare/same-form/recording.ts';
import { readFacts, runSameForm } from '../../compare/same-form/run-same-form.ts';
import { createResponseCache, withRetryAfter } from '../../compare/targets/client.ts';
import { createPartnerClient } from '../../compare/targets/running-target.ts';
import { readBaseUrl, readJsonFile, readKeys } from '../option-parsers.ts';
import type { CompareProgress } from '../terminal/progress.ts';
import { UsageError } from '../terminal/usage-error.ts';
import type { CompareOptions } from './options.ts';

/** Whether replies are only recorded: then nothing is compared, and there is nothing to report. */
export const isOnlyRecording = ({ form, against }: CompareOptions): boolean =>
  form !== undefined && against === undefined;

/** Raises a `UsageError` for options of one form that do not go together. */
export const checkFormOptions = (options: CompareOptions): void => {
  const { form, baseUrl, against, record: file, html, junit, markdown, json, github, baseline } = options;
  if (form === undefined && (against ?? file)) throw new UsageError('--against and --record go with --form.');
  if (form === undefined) return;
  if (baseUrl === undefined) throw new UsageError('--form needs --base-url.');
  if (against === undefined && file === undefined) throw new UsageError('--form needs --against or --record.');
  if (isOnlyRecording(options) && (html ?? junit ?? markdown ?? json ?? github ?? baseline) !== undefined) {
    throw new UsageError('--record without --against compares nothing: there is no report, and no baseline.');
  }
};

/** The result of a run, and what `--record` writes. */
export interface ComparisonRun {
  readonly result: RunResult;
  readonly recording?: Recording;
}

/** Compares one form of two gateways, or of one with a recording. Without either the replies are only recorded. */
export const compareOneForm = async (
  cases: readonly ComparisonCase[],
  options: CompareOptions & Required<Pick<CompareOptions, 'form' | 'baseUrl'>>,
  { wait, begin }: CompareProgress,
): Promise<ComparisonRun> => {
  const { form, baseUrl, against, keysFile, maxWait } = options;
  const keys = await readKeys(keysFile, form);
  const isUrl = against !== undefined && /^https?:/.test(against);
  const recorded =
    against === undefined || isUrl
      ? undefined
      : await readJsonFile(against, recordingSchema, 'be an address of a gateway, or a file that --record wrote');
  if (recorded !== undefined && recorded.form !== form)
    throw new UsageError(`${against} has replies of the ${recorded.form} form.`);
  const addresses = isUrl ? [baseUrl, readBaseUrl(against)] : [baseUrl];
  const clients = addresses.map((url) => createPartnerClient({ baseUrl: url, keys }));
  const exchanges: Recording['exchanges'] = [];
  try {
    const sends = clients.map(({ send }) => withRetryAfter(send, wait, maxWait));
    const caches = sends.map((send, index) =>
      createResponseCache(index === 0 ? recordExchanges(send, exchanges) : send),
    );
    const [one, other = one] = caches;
    if (one === undefined || other === undefined) throw new Error('There is at least one client.');
    const facts = recorded ?? (await readFacts(one.send, form));
    const second = recorded === undefined ? other.send : replayRecording(recorded);
    const forget = isUrl ? () => caches.map((cache) => cache.clear()) : undefined;
    const ran = await runSameForm(cases, { form, first: one.send, second, facts, forget }, ({ name }) => begin(name));
    const address = baseUrl.href.replace(/\/$/, '');
    const sides = { current: address, variant: against ?? 'its recording' };
    const heading = `The ${form} form of ${sides.current}, against ${sides.variant}`;
    const { now, artists } = facts;
    return {
      result: { ...ran, heading, sides, target: sides.current, now, requiredRows: options.requireRows, notes: [] },
      recording: { form, gateway: sides.current, now, artists, exchanges },
    };
  } finally {
    for (const client of clients) client.close();
  }
};
