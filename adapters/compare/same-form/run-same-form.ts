import { byForm, type ComparedForm } from '../../../src/crosswalk/forms.ts';
import { listAt, parseJson, textAt } from '../../../src/crosswalk/json.ts';
import type { ComparisonCase } from '../cases/cases.ts';
import type { CaseFocus, KnownArtist } from '../cases/placeholders.ts';
import { askSide, type SendRequest } from '../cases/send-request.ts';
import { type CaseResult, type CaseRound, type CasesRun, toCaseResult } from '../results.ts';
import { needsMadeUpKeys, runEach } from '../run.ts';
import { keyKindsOfPartners, maxPartnerArtists } from '../targets/running-target.ts';
import { compareReplies } from './compare-replies.ts';
import type { Recording } from './recording.ts';

/** The gateways that one form is asked of: the first and the second one, or the first one and its recording. */
export interface SameFormTargets {
  readonly form: ComparedForm;
  readonly first: SendRequest;
  readonly second: SendRequest;
  readonly facts: Pick<Recording, 'now' | 'artists'>;
  /** Forgets cached replies, so that a case with a difference is asked again: data may change between two answers. */
  readonly forget: (() => void) | undefined;
}

/** An identifier that no artist has, in place of one of the other form. */
const unknownId = 'unknown-id';

const fociOf = ({ each = 1 }: ComparisonCase, { form, facts }: SameFormTargets): CaseFocus[] => {
  const today = facts.now.slice(0, 10);
  const artists = facts.artists.slice(0, Math.min(each, maxPartnerArtists)).map(({ id, name, tier }): KnownArtist => {
    const ids = form === 'current' ? { current: id, variant: unknownId } : { current: unknownId, variant: id };
    return { ...ids, name, tier };
  });
  return artists.length === 0 ? [{ today, artist: undefined }] : artists.map((artist) => ({ today, artist }));
};

/** The gateway's time and its first artists. Rejects with the status when they cannot be read. */
export const readFacts = async (send: SendRequest, form: ComparedForm): Promise<SameFormTargets['facts']> => {
  const read = async (path: string) => {
    const reply = await send({ form, key: 'full', method: 'GET', path, headers: {} });
    if (reply.status !== 200) throw new Error(`GET ${path} in the ${form} form was answered ${reply.status}.`);
    return parseJson(reply.text);
  };
  const health = await read('/api/v1/health');
  const artists = listAt(await read('/api/v1/artists?limit=10'), 'data').map((item) => {
    const tier = textAt(item, 'tier');
    return { id: textAt(item, 'id') ?? '', name: textAt(item, 'name') ?? '', ...(tier !== undefined && { tier }) };
  });
  return { now: textAt(health, 'generated_at') ?? '', artists };
};

const runCase = async (comparisonCase: ComparisonCase, targets: SameFormTargets, attempt = 1): Promise<CaseResult> => {
  const { form, first, second, forget } = targets;
  const { key } = comparisonCase;
  const rounds: CaseRound[] = [];
  for (const focus of fociOf(comparisonCase, targets)) {
    const current = await askSide(first, form, key, comparisonCase[form], focus);
    const variant = await askSide(second, form, key, comparisonCase[form], focus);
    const responses = { current, variant };
    rounds.push({ responses, comparison: compareReplies(comparisonCase, responses) });
  }
  const sides = byForm(() => comparisonCase[form]);
  const result = toCaseResult({ ...comparisonCase, ...sides }, rounds, attempt);
  if (result.unexpected.length === 0 || forget === undefined || attempt > 1) return result;
  forget();
  return runCase(comparisonCase, targets, 2);
};

/** Asks two gateways the questions of cases in one form, and compares their replies. */
export const runSameForm = (
  cases: readonly ComparisonCase[],
  targets: SameFormTargets,
  onCase?: (comparisonCase: ComparisonCase) => void,
): Promise<CasesRun> =>
  runEach(
    cases,
    {
      skipReason: ({ key }) => (keyKindsOfPartners.includes(key) ? undefined : needsMadeUpKeys),
      runCase: (one) => runCase(one, targets),
    },
    onCase,
  );
