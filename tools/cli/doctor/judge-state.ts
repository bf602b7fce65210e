import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { orUndefined, PathError, requireOwnFolder } from '../../../adapters/files/own-file.ts';
import { readCopy } from '../../../adapters/stores/state/copy-file.ts';
import { copyPath } from '../../../adapters/stores/state/kept-source.ts';
import { formatDistance, formatDuration } from '../../../src/domain/quantities.ts';
import type { SourceName } from '../../../src/ports.ts';
import { describeFailure } from '../../../src/runtime/store-error.ts';
import { type Finding, fail, ok, warning } from './finding.ts';

/** The longest that a copy is served, in milliseconds. */
type MaxAges = Readonly<Record<SourceName, number>>;

const writeAdvice =
  'start the gateway, or look for "copy not written" or "refresh failed" in its log';

const copyCheck = (unit: SourceName): string => `copy of ${unit}`;

const judgeCopy = async (
  unit: SourceName,
  maxAgeMs: number,
  { folder, owner, now }: { readonly folder: string; readonly owner: number; readonly now: number },
): Promise<Finding | undefined> => {
  const check = copyCheck(unit);
  try {
    const copy = await readCopy(copyPath(folder, unit), owner);
    if (copy === undefined) return undefined;
    const { answeredAt } = copy.header;
    const found = `as of ${formatDistance(answeredAt, now)}`;
    if (now - answeredAt <= maxAgeMs) return ok(check, found);
    return fail(check, `${found}, served for ${formatDuration(maxAgeMs)}`, writeAdvice);
  } catch (failure) {
    return fail(check, describeFailure(failure), 'delete it: the gateway writes it again');
  }
};

/**
 * Judges both copies. A gateway that never started has no copy. If only one is missing, it could not
 * be written.
 */
const judgeCopies = async (
  maxAges: MaxAges,
  at: Parameters<typeof judgeCopy>[2],
): Promise<Finding[]> => {
  const [keys, catalogue] = [
    await judgeCopy('keys', maxAges.keys, at),
    await judgeCopy('catalogue', maxAges.catalogue, at),
  ];
  if (keys === undefined && catalogue === undefined) return [];
  return [
    keys ?? fail(copyCheck('keys'), 'does not exist', writeAdvice),
    catalogue ?? fail(copyCheck('catalogue'), 'does not exist', writeAdvice),
  ];
};

/**
 * Judges whether the user of the command may write into `STATE_DIR`, and its copies at an instant.
 * Writes nothing.
 */
export const judgeState = async (
  folder: string,
  maxAges: MaxAges,
  now: number,
): Promise<Finding[]> => {
  try {
    const found = await orUndefined(stat(folder));
    if (found === undefined)
      return [
        warning('state', `${folder} does not exist`, 'the gateway creates it on its first load'),
      ];
    if (!found.isDirectory()) return [fail('state', `${folder} is a file`, 'correct STATE_DIR')];
    await access(folder, constants.W_OK | constants.X_OK);
    await requireOwnFolder(folder, found.uid);
    const copies = await judgeCopies(maxAges, { folder, owner: found.uid, now });
    return [ok('state', `${folder} can be written`), ...copies];
  } catch (failure) {
    const advice =
      failure instanceof PathError
        ? 'the gateway refuses to start with it'
        : 'correct its permissions, or STATE_DIR';
    return [fail('state', describeFailure(failure), advice)];
  }
};
