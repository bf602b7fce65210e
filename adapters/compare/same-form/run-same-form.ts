import { byForm, type ComparedForm } from '../../../src/crosswalk/forms.ts';
import { textAt } from '../../../src/crosswalk/json.ts';
import type { ComparisonCase } from '../cases/cases.ts';
import type { KnownArtist } from '../cases/placeholders.ts';
import { askSide, type SendRequest } from '../cases/send-request.ts';
import type { CasesRun } from '../results.ts';
import { type CaseRunner, type OnCase, runEach } from '../run.ts';
import { keyKindsOfPartners, maxPartnerArtists, readArtists, readNow } from '../targets/running-target.ts';
import { compareReplies } from './compare-replies.ts';
import type { Recording } from './recording.ts';

type FormFacts = Pick<Recording, 'now' | 'artists'>;

/** The gateways that one form is asked of: the first and the second one, or the first one and its recording. */
interface SameFormTargets extends Pick<CaseRunner, 'forget'> {
  readonly form: ComparedForm;
  readonly first: SendRequest;
  readonly second: SendRequest;
  readonly facts: FormFacts;
}

/** An identifier that no artist has, in place of one of the other form. */
const unknownId = 'unknown-id';

/** The gateway's time and its first artists. Rejects with the status when they cannot be read. */
export const readFacts = async (send: SendRequest, form: ComparedForm): Promise<FormFacts> => {
  const now = await readNow(send, form);
  const artists = (await readArtists(send, form, 10)).map((item) => {
    const tier = textAt(item, 'tier');
    return { id: textAt(item, 'id') ?? '', name: textAt(item, 'name') ?? '', ...(tier !== undefined && { tier }) };
  });
  return { now, artists };
};

/** Asks two gateways the questions of cases in one form, and compares their replies. */
export const runSameForm = (
  cases: readonly ComparisonCase[],
  { form, first, second, facts, forget }: SameFormTargets,
  onCase?: OnCase,
): Promise<CasesRun> =>
  runEach(
    cases.map((one) => ({ ...one, ...byForm(() => one[form]) })),
    {
      today: facts.now.slice(0, 10),
      keyKinds: keyKindsOfPartners,
      knownArtists: facts.artists.map(({ id, name, tier }): KnownArtist => {
        return { ...byForm((one) => (one === form ? id : unknownId)), name, tier };
      }),
      maxArtists: maxPartnerArtists,
      forget,
      async askAndCompare(comparisonCase, focus) {
        const ask = (send: SendRequest) => askSide(send, form, comparisonCase.key, comparisonCase[form], focus);
        const [ours, theirs] = [await ask(first), await ask(second)];
        const comparison = compareReplies(comparisonCase, ours, theirs);
        return { responses: { current: ours, variant: theirs }, comparison };
      },
    },
    onCase,
  );
