import { type Cause, causesOf } from '../causes.ts';
import type { CaseResult } from '../results.ts';
import { plainText } from './values.ts';

/** The causes of one case. */
export const causesIn = (one: CaseResult): readonly Cause[] => causesOf([one]);

/** A cause in one line. */
export const describeCause = ({ row, violation }: Pick<Cause, 'row' | 'violation'>): string =>
  plainText(`${row ?? 'no row'}: ${violation}`);
