import { textAt } from '../../../src/crosswalk/json.ts';
import type { ReplyFacts } from '../../../src/crosswalk/request-rows.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import type { KeyKind, SideOfCase } from '../cases/cases.ts';
import { pathRowOf } from '../cases/ranges.ts';
import type { SideResponse } from '../cases/send-request.ts';
import { below } from './invariant.ts';
import type { Expected } from './outcomes.ts';

/** Keys that identify nobody, so that nothing is counted. */
const strangers: readonly KeyKind[] = ['none', 'unknown', 'revoked', 'expired', 'suspended'];

const countedStatuses: readonly number[] = [200, 304, 400, 403, 404, 429];

const requestIdPaths: Readonly<Record<FormName, readonly string[]>> = {
  current: ['meta.request_id', 'error.request_id'],
  variant: [],
};

/** What a key is, as far as headers tell it; `undefined` where nobody knows. */
export interface KeyFacts {
  readonly pinned: FormName | undefined;
  readonly deprecated: boolean | undefined;
}

/** What decides the headers of a side's last reply. */
export const replyFacts = (
  key: KeyKind,
  keyFacts: KeyFacts,
  side: SideOfCase,
  answer: SideResponse,
  { served }: Expected,
): ReplyFacts => {
  const status = answer.replies.at(-1)?.status ?? 0;
  const path = pathRowOf(served, below(answer));
  const needsKey = path !== undefined && path[served] !== '/health';
  const body = answer.bodies.at(-1);
  const ids = requestIdPaths[served].map((one) => textAt(body, one)).filter((id) => id !== undefined);
  return {
    ...keyFacts,
    served,
    status,
    counted: needsKey && side.method === 'GET' && !strangers.includes(key) && countedStatuses.includes(status),
    read: needsKey && (status === 200 || status === 304),
    adjusted: side.adjusted,
    requestIdInBody: ids[0],
  };
};
