import { byForm, type ComparedForm, comparedForms } from '../../../src/crosswalk/forms.ts';
import { quotaRows } from '../../../src/crosswalk/request-rows.ts';
import type { CaseSide, ComparisonCase, KeyKind } from './cases.ts';

/** The length of quota windows, minutes. */
export const windowMinutes = { minute: 1, hour: 60, day: 1_440 } as const;

const quotaOf = (form: ComparedForm) => quotaRows.find((row) => row.form === form);

/** The requests of one side for one artist, by a text that equal requests share: those are sent once. */
const requestsOf = ({ ask, after, method, headers, pages }: CaseSide, focus: number): string[] => {
  const about = (path: string) => JSON.stringify([method, headers, path, path.includes('{') ? focus : 0]);
  return [
    ...(after === undefined ? [] : [about(after)]),
    ...Array.from({ length: pages }, (_, page) => `${about(ask)} ${page}`),
  ];
};

const minutesFor = (form: ComparedForm, requests: number): number => {
  const quota = quotaOf(form);
  return quota === undefined ? 0 : Math.floor(Math.max(0, requests - 1) / quota.requests) * windowMinutes[quota.window];
};

interface PlanTerms {
  readonly keyKinds: readonly KeyKind[];
  readonly maxArtists: number;
  /** Requests that no case sends. */
  readonly beforehand?: Readonly<Record<ComparedForm, number>> | undefined;
}

/**
 * About how many requests a run sends to each form of a running gateway, and how many minutes the smallest window of its default
 * quota makes it wait. Cases with other kinds of keys are left out, equal requests are sent once,
 * and a case that is repeated for artists is repeated for at most `maxArtists`.
 */
export const planRun = (cases: readonly ComparisonCase[], { keyKinds, maxArtists, beforehand }: PlanTerms) => {
  const sent = cases.filter(({ key }) => keyKinds.includes(key));
  const requests = byForm(
    (form) =>
      (beforehand?.[form] ?? 0) +
      new Set(
        sent.flatMap((one) =>
          Array.from({ length: Math.min(one.each ?? 1, maxArtists) }, (_, focus) =>
            requestsOf(one[form], focus),
          ).flat(),
        ),
      ).size,
  );
  return { requests, minutes: byForm((form) => minutesFor(form, requests[form])) };
};

const formatMinutes = (minutes: number): string => {
  if (minutes === 0) return 'no wait';
  if (minutes >= 120) return `about ${Math.round(minutes / 60)} hours`;
  return minutes === 1 ? 'about 1 minute' : `about ${minutes} minutes`;
};

/** A plan in one line. */
export const formatPlan = (
  { requests, minutes }: ReturnType<typeof planRun>,
  forms: readonly ComparedForm[] = comparedForms,
): string => {
  const total = forms.reduce((sum, form) => sum + requests[form], 0);
  const parts = forms.map((form) => {
    const quota = quotaOf(form);
    return `${requests[form]} in the ${form} form, at ${quota?.requests} ${quota?.window === 'hour' ? 'an' : 'a'} ${quota?.window} ${formatMinutes(minutes[form])}`;
  });
  return `About ${total} requests: ${parts.join('; ')}. Keys with a higher quota finish sooner.`;
};
