import { z } from 'zod';
import { type CompareKeys, readCompareKeys } from '../../../src/runtime/config.ts';
import type { IdPair } from '../../compare/targets/running-target.ts';
import { type ComparedForm, comparedForms } from '../../migration/mapping/forms.ts';
import { readJsonFile } from '../option-parsers.ts';
import { UsageError } from '../terminal/messages.ts';

/**
 * The keys of a comparison of both forms or of one, from the environment. Throws a `UsageError` if
 * some are missing.
 */
export const readKeys = (form?: ComparedForm): CompareKeys => {
  const { current, variant, override } = readCompareKeys();
  const keys = { current, variant, override };
  const needed = form === undefined ? comparedForms : [form];
  if (override !== undefined || needed.every((one) => keys[one] !== undefined)) return keys;
  throw new UsageError(
    'Keys are missing: set CURRENT_KEY and VARIANT_KEY, or OVERRIDE_KEY for a key that can request both forms.',
  );
};

const pairsSchema = z.array(
  z.strictObject({ current: z.string().min(1), variant: z.string().min(1) }),
);

export const readPairs = async (path: string | undefined): Promise<readonly IdPair[]> =>
  path === undefined
    ? []
    : readJsonFile(
        path,
        pairsSchema,
        'hold a JSON array of pairs of identifiers: {"current": "…", "variant": "…"}',
      );
