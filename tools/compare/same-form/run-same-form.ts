import type { CompareKeys } from '../../../src/runtime/config.ts';
import { byForm, type ComparedForm } from '../../migration/mapping/forms.ts';
import { textAt } from '../../migration/mapping/json.ts';
import { CaseSkipped, type ComparisonCase } from '../cases/cases.ts';
import type { KnownArtist } from '../cases/placeholders.ts';
import { askSide, type SendRequest } from '../cases/send-request.ts';
import type { CasesRun } from '../results.ts';
import { type CaseRunner, type OnCase, runEach } from '../run.ts';
import { readArtists, readNow, scopeLackedFor } from '../targets/key-facts.ts';
import { maxPartnerArtists } from '../targets/running-target.ts';
import { compareReplies } from './compare-replies.ts';
import type { Recording } from './recording.ts';

type FormFacts = Pick<Recording, 'now' | 'artists'>;

/**
 * The gateways that one form is asked of: the first and the second one, or the first one and its
 * recording.
 */
export interface SameFormTargets extends Pick<CaseRunner, 'forget'> {
  readonly form: ComparedForm;
  readonly first: SendRequest;
  readonly second: SendRequest;
  readonly facts: FormFacts;
  /**
   * Maximum number of artists that a case is repeated for; by default few, because quotas are
   * scarce.
   */
  readonly maxArtists?: number;
}

/** An identifier that no artist has, in place of one of the other form. */
const unknownId = 'unknown-id';

/** The gateway's time and its first artists. Rejects with advice when the key cannot be used. */
export const readFacts = async (
  send: SendRequest,
  form: ComparedForm,
  keys: CompareKeys,
): Promise<FormFacts> => {
  const { now } = await readNow(send, form);
  const items = await readArtists(send, form, keys, 10);
  const artists = items.map((item) => {
    const tier = textAt(item, 'tier');
    return {
      id: textAt(item, 'id') ?? '',
      name: textAt(item, 'name') ?? '',
      ...(tier !== undefined && { tier }),
    };
  });
  return { now, artists };
};

/** Asks two gateways the questions of cases in one form, and compares their replies. */
export const runSameForm = (
  cases: readonly ComparisonCase[],
  { form, first, second, facts, forget, maxArtists = maxPartnerArtists }: SameFormTargets,
  onCase?: OnCase,
): Promise<CasesRun> =>
  runEach(
    cases.map((one) => ({ ...one, ...byForm(() => one[form]) })),
    {
      today: facts.now.slice(0, 10),
      knownArtists: facts.artists.map(({ id, name, tier }): KnownArtist => {
        return { ...byForm((one) => (one === form ? id : unknownId)), name, tier };
      }),
      maxArtists,
      forget,
      async ask(comparisonCase, focus) {
        const askOf = (send: SendRequest) =>
          askSide(send, form, comparisonCase.key, comparisonCase[form], focus);
        const responses = { left: await askOf(first), right: await askOf(second) };
        const lacking = scopeLackedFor(responses.left);
        if (lacking !== undefined && lacking === scopeLackedFor(responses.right))
          throw new CaseSkipped(`they need ${lacking}, which the key lacks`);
        return { responses, compare: () => compareReplies(comparisonCase, form, responses) };
      },
    },
    onCase,
  );
