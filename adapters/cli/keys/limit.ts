import type { FormName } from '../../../src/domain/caller.ts';

/** Refuses an hourly limit where nothing is counted by the hour. */
export const checkLimit = (form: FormName, perHour: number | 'default' | undefined): void => {
  if (perHour === undefined || form === 'variant') return;
  throw new Error(
    `A key of the ${form} form is counted with its organization: use "organizations set --per-minute --per-day".`,
  );
};
