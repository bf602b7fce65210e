/**
 * The result of a comparison in production. `skipped`: the answer has no
 * body to compare, or one of more than 8 MB. `dropped`: the queue was full, or
 * the share of processor time was used up. `failed`: the comparison threw, or took too long.
 */
export const shadowVerdicts = ['same', 'different', 'skipped', 'dropped', 'failed'] as const;
export type ShadowVerdict = (typeof shadowVerdicts)[number];

/** Why a comparison failed: something threw, or the worker thread ended, or took too long. */
export const shadowFailures = ['threw', 'ended', 'too slow'] as const;
export type ShadowFailure = (typeof shadowFailures)[number];
