import type { MemberRow } from './rows.ts';

/** An instant as every answer tells it: UTC, milliseconds, `Z`. */
export const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const requestIdText = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What stands around the items, in lists, the detail, spikes and signings. */
export const envelopeRows: readonly MemberRow[] = [
  {
    kind: 'only variant',
    variant: 'success',
    reads: () => true,
    reason: 'In the current form the status code alone says so.',
  },
  {
    kind: 'same',
    current: 'data[]',
    variant: 'data[]',
    reason: 'The items; their members have tables of their own.',
  },
  {
    kind: 'only current',
    current: 'data',
    only: '/artists/{id}',
    reason: 'In the detail, data is the artist itself; the variant form answers ?id= with a list of one.',
  },
  {
    kind: 'moved',
    current: 'meta.api_version',
    variant: '_meta.api_version',
    reason: 'The version, v1 in both forms, stands in meta.',
  },
  {
    kind: 'moved',
    current: 'meta.count',
    variant: 'count',
    when: { current: 'a list' },
    equalWhen: 'the whole list',
    reason: 'The number of items returned stands in meta; a detail has none.',
  },
  {
    kind: 'only current',
    current: 'meta.next_cursor',
    when: { current: 'a list' },
    reason: 'The variant form has no paging. The one member that may be null.',
  },
  {
    kind: 'volatile',
    current: 'meta.generated_at',
    variant: '_meta.timestamp',
    looks: instantPattern,
    equalWhen: 'a clock that stands',
    reason: 'The moment of the answer, under another name and in meta: another one each time, unless the clock stands.',
  },
  {
    kind: 'volatile',
    current: 'meta.request_id',
    looks: requestIdText,
    reason: 'Another one each time. The variant form has it in the header X-Request-Id alone.',
  },
  {
    kind: 'moved',
    current: 'meta.window.days',
    variant: 'period_days',
    only: '/spikes',
    reason: 'The comparison window of the spikes, told even when there are none.',
  },
  {
    kind: 'only current',
    current: 'meta.engine.name',
    only: '/spikes',
    reason: 'The variant form does not name the engine.',
  },
  {
    kind: 'only current',
    current: 'meta.engine.version',
    only: '/spikes',
    reason: 'The variant form does not name the engine.',
  },
  {
    kind: 'only variant',
    variant: '_meta.authenticated_as',
    reads: ({ partner }) => partner,
    reason: 'The partner’s name; the current form does not repeat it.',
  },
  {
    kind: 'only variant',
    variant: '_meta.labels_tracked[]',
    only: '/signings',
    reason: 'All tracked labels, with the signings; the current form names the detected ones only.',
  },
];

/** The answer of `/health`. */
export const healthRows: readonly MemberRow[] = [
  { kind: 'same', current: 'status', variant: 'status', reason: 'Both forms have one health.' },
  { kind: 'same', current: 'api_version', variant: 'api_version', reason: 'Both forms have one health.' },
  {
    kind: 'volatile',
    current: 'generated_at',
    variant: 'generated_at',
    looks: instantPattern,
    equalWhen: 'a clock that stands',
    reason: 'The moment of the answer: another one each time, unless the clock stands.',
  },
];

/** The body of a problem. Which code it has is told in the table of problems. */
export const errorRows: readonly MemberRow[] = [
  {
    kind: 'moved',
    current: 'error.code',
    variant: 'error',
    equalWhen: 'one code',
    reason: 'The code is the member error itself; which code a problem has is told in the table of problems.',
  },
  {
    kind: 'volatile',
    current: 'error.message',
    variant: 'message',
    looks: /./,
    reason: 'A text for people, no part of the contract; it stands beside the code.',
  },
  {
    kind: 'volatile',
    current: 'error.request_id',
    looks: requestIdText,
    reason: 'Another one each time. The variant form has it in the header X-Request-Id alone.',
  },
];
