import { type MemberRow, moved, onlyCurrent, same } from './rows.ts';

/** An instant in answers: UTC, milliseconds, `Z`. */
const answeredInstantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const requestIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const instantRow = (current: string, variant: string, reason: string): MemberRow => ({
  kind: 'volatile',
  current,
  variant,
  pattern: answeredInstantPattern,
  comparableIf: 'a fixed clock',
  reason,
});

const requestIdRow = (current: string): MemberRow => ({
  kind: 'volatile',
  current,
  pattern: requestIdPattern,
  reason: 'Unique for each request. The variant form has it in the header X-Request-Id alone.',
});

const spikesOnly = { onlyPath: '/spikes' };

/** The envelope around the items of lists, the detail, spikes and signings. */
export const envelopeRows: readonly MemberRow[] = [
  {
    kind: 'only variant',
    variant: 'success',
    expected: () => true,
    reason: 'In the current form the status code alone says so.',
  },
  same('data[]', 'The items; their members have tables of their own.'),
  onlyCurrent(
    'data',
    'In the detail, data is the artist itself; the variant form answers ?id= with a list of one.',
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
    'The variant form has no paging. The one member that may be null.',
    {
      presentIf: { current: 'a list' },
    },
  ),
  instantRow(
    'meta.generated_at',
    '_meta.timestamp',
    'The time of the answer, under another name and in meta: it differs between two answers.',
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
      'All tracked labels: no answer of the current form lists them, but labels.txt does, in the same order. A label_detected that it does not have is a new label: ask for the list again.',
  },
];

/** The answer of `/health`. */
export const healthRows: readonly MemberRow[] = [
  same('status', 'Both forms have one health.'),
  same('api_version', 'Both forms have one health.'),
  instantRow(
    'generated_at',
    'generated_at',
    'The time of the answer: it differs between two answers.',
  ),
];

/** The body of a problem. The table of problems says which code it has. */
export const errorRows: readonly MemberRow[] = [
  moved(
    'error.code',
    'error',
    'The code is the member error itself; the table of problems has the code of each problem.',
    { comparableIf: 'one code' },
  ),
  {
    kind: 'volatile',
    current: 'error.message',
    variant: 'message',
    pattern: /./,
    reason: 'A text for people, not part of the contract; it is beside the code.',
  },
  requestIdRow('error.request_id'),
];
