import { countOf, sum } from '../../../src/domain/quantities.ts';
import { parseJson } from '../../migration/mapping/json.ts';
import { type ComparisonCase, sideOf } from '../cases/cases.ts';
import { nextPath, type ReceivedResponse } from '../cases/send-request.ts';
import { byIdCase, caseOf, sliceCases } from '../cases/shortlist.ts';
import type { CasesRun } from '../results.ts';
import { forgetting, joinRuns, type OnCase } from '../run.ts';
import { runSameForm, type SameFormTargets } from './run-same-form.ts';

const firstPath = '/artists?limit=100';

const pageCase = (path: string, page: number): ComparisonCase =>
  caseOf({
    name: `all-page-${page}`,
    asks: `Page ${page} of the whole shortlist`,
    current: sideOf(path),
    variant: sideOf(path),
  });

/** Compares one page after the other, so that replies of one page are held at a time. */
const walkPages = async (targets: SameFormTargets, onCase: OnCase): Promise<CasesRun> => {
  const runs: CasesRun[] = [];
  let path: string | undefined = firstPath;
  while (path !== undefined && runs.at(-1)?.stopped === undefined) {
    let reply: ReceivedResponse | undefined;
    const first: SameFormTargets['first'] = async (request) => {
      reply = await targets.first(request);
      return reply;
    };
    runs.push(await runSameForm([pageCase(path, runs.length + 1)], { ...targets, first }, onCase));
    path = reply && nextPath(firstPath, parseJson(reply.text));
  }
  return joinRuns(runs);
};

/** What a walk needs beside the two gateways. */
interface FormWalk {
  /**
   * Identifiers of the form: the variant form has no cursor, so that artists behind its limit are
   * asked for by them.
   */
  readonly ids: readonly string[];
  /** Forgets the replies of both gateways. */
  readonly forgetReplies: () => void;
}

/**
 * Compares one form of two gateways over the whole shortlist: the current form page by page, the
 * variant form by tier and signed.
 */
export const walkForm = async (
  targets: SameFormTargets,
  { ids, forgetReplies }: FormWalk,
  onCase: OnCase,
): Promise<CasesRun> => {
  const releasing = forgetting(forgetReplies, onCase);
  const listed =
    targets.form === 'current'
      ? await walkPages(targets, releasing)
      : await runSameForm(sliceCases, targets, releasing);
  const full = listed.cases.filter(
    ({ items, paths }) => paths.right.includes('limit=200') && items.right >= 200,
  );
  const artists = ids.map((id) => ({ id, name: '' }));
  const byId = await runSameForm(
    ids.length === 0 ? [] : [{ ...byIdCase, each: ids.length }],
    { ...targets, facts: { ...targets.facts, artists }, maxArtists: ids.length },
    releasing,
  );
  const total = sum(listed.cases.map(({ items }) => items.left));
  const behind =
    full.length === 0 || ids.length > 0
      ? []
      : [
          `${countOf(full.length, 'list')} ${full.length === 1 ? 'is' : 'are'} full: artists behind the limit are compared with --pairs.`,
        ];
  return {
    ...joinRuns([listed, byId]),
    notes: [
      `The whole shortlist: ${total} artists were listed, ${ids.length} asked for by identifier.`,
      ...behind,
    ],
  };
};
