import { type MemberRow, moved, onlyCurrent, same } from './rows.ts';

/** An instant in answers: UTC, milliseconds, `Z`. */
const answeredInstantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const requestIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const instantRow = (current: string, variant: string, reason: string): MemberRow => ({
  kind: 'volatile',
  current,
  variant,
  pattern: answeredInstantPattern,
  expected: ({ now }) => now,
  reason,
});

const requestIdRow = (current: string): MemberRow => ({
  kind: 'volatile',
  current,
  pattern: requestIdPattern,
  reason: 'Unique for each request. The variant form has it only in the header X-Request-Id.',
});

const spikesOnly = { onlyPath: '/spikes' };

export const envelopeRows: readonly MemberRow[] = [
  {
    kind: 'only variant',
    variant: 'success',
    expected: () => true,
    reason: 'In the current form, the status code says so.',
  },
  same('data[]', 'The items; their members have tables of their own.'),
  onlyCurrent(
    'data',
    'In the detail, data is the artist itself; the variant form returns a list of one for ?id=.',
    {
      onlyPath: '/artists/{id}',
    },
  ),
  moved('meta.api_version', '_meta.api_version', 'The version, v1 in both forms, is in meta.'),
  moved('meta.count', 'count', 'The number of items returned is in meta; a detail has none.', {
    presentIf: { current: 'a list' },
    comparableIf: 'the whole list',
  }),
  onlyCurrent(
    'meta.next_cursor',
    'The only member that can be null. The variant form has no paging.',
    {
      presentIf: { current: 'a list' },
    },
  ),
  instantRow(
    'meta.generated_at',
    '_meta.timestamp',
    'The time of the response, renamed and in meta: it differs between responses.',
  ),
  requestIdRow('meta.request_id'),
  moved(
    'meta.window.days',
    'period_days',
    'The comparison window of the spikes, sent even when there are none.',
    spikesOnly,
  ),
  onlyCurrent('meta.engine.name', 'The variant form does not name the engine.', spikesOnly),
  onlyCurrent('meta.engine.version', 'The variant form does not name the engine.', spikesOnly),
  {
    kind: 'only variant',
    variant: '_meta.authenticated_as',
    toDo: 'keep as a constant',
    expected: ({ partner }) => partner,
    reason: 'The partner’s name; the current form does not repeat it.',
  },
  {
    kind: 'only variant',
    variant: '_meta.labels_tracked[]',
    onlyPath: '/signings',
    toDo: 'read labels.txt',
    reason:
      'All tracked labels: the current form never lists them, but labels.txt does, in the same order. A label_detected that is not in it is a new label: use it as it is, and ask for a new list.',
  },
];

export const healthRows: readonly MemberRow[] = [
  same('status', 'Health is the same in both forms.'),
  same('api_version', 'Health is the same in both forms.'),
  instantRow(
    'generated_at',
    'generated_at',
    'The time of the response: it differs between responses.',
  ),
];

export const errorRows: readonly MemberRow[] = [
  moved(
    'error.code',
    'error',
    'In the variant form, error is the code itself; the table of problems lists all codes.',
    { comparableIf: 'one code' },
  ),
  {
    kind: 'volatile',
    current: 'error.message',
    variant: 'message',
    pattern: /./,
    reason: 'Text for people, next to the code and not part of the contract.',
  },
  requestIdRow('error.request_id'),
];
