/** The result of a comparison in production. `skipped`: the other form has no such question, or the answer more than 50 items. */
export const shadowVerdicts = ['same', 'different', 'skipped', 'failed'] as const;
export type ShadowVerdict = (typeof shadowVerdicts)[number];
