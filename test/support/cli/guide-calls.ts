/** An answer that a guide promises. */
export interface GuideAnswer {
  readonly path: string;
  readonly status: number;
  /** `undefined` where the answer is no list. */
  readonly items: number | undefined;
}

/** One row of a guide's table of calls, as a reader takes it. */
export interface GuideRow {
  readonly today: GuideAnswer;
  /** The same call after the move, where it is not the same answer. */
  readonly unchanged: GuideAnswer | undefined;
  /** The cell that says what to send instead. */
  readonly instead: string;
  /** The number of items that the program has then. */
  readonly items: number | undefined;
  readonly requests: number;
}

const answerOf = (path: string, text: string): GuideAnswer | undefined => {
  const [, status, items] = /^(\d+)(?:, (\d+) items?)?$/.exec(text) ?? [];
  return status === undefined
    ? undefined
    : { path, status: Number(status), items: items === undefined ? undefined : Number(items) };
};

/** Reads a guide's table of calls. Throws for a row that cannot be read. */
export const readGuideCalls = (guide: string): readonly GuideRow[] =>
  guide
    .split('\n')
    .filter((line) => line.startsWith('| `GET '))
    .map((line) => {
      const [first = '', second = '', instead = '', has = '', requests] = line
        .slice(2)
        .split(' | ');
      const [, path = '', answer = ''] = /^`GET (\S+)` → (.*)$/.exec(first) ?? [];
      const today = answerOf(path, answer);
      const after = answerOf(path, has);
      if (today === undefined || after === undefined) throw new Error(`No call: ${line}`);
      return {
        today,
        unchanged: answerOf(path, second),
        instead,
        items: after.items,
        requests: Number(requests),
      };
    });

/** A body of the current form, as far as a guide speaks of it. */
interface Answered {
  readonly status: number;
  readonly body: {
    readonly data?: unknown;
    readonly meta?: { readonly next_cursor?: string | null };
  };
}

const valueAt = (item: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) => (value === undefined ? undefined : Object(value)[name]),
      item,
    );

const tests: Readonly<Record<string, (found: unknown, value: string) => boolean>> = {
  'equal to': (found, value) => found === value,
  'not equal to': (found, value) => found !== value,
  'not before': (found, value) => typeof found === 'string' && found >= value,
  'not after': (found, value) => typeof found === 'string' && found <= value,
};

const condition = /`(\S+)` (equal to|not equal to|not before|not after) `(\S+)`/g;

/**
 * Does what a row says to do instead of a call, with no knowledge of the forms. Returns the items
 * that the program then has, and the number of requests.
 */
export const carryOut = async (
  row: GuideRow,
  get: (path: string) => Promise<Answered>,
): Promise<{ readonly items: readonly unknown[] | undefined; readonly requests: number }> => {
  if (row.instead === 'nothing: use an empty list') return { items: [], requests: 0 };
  const path =
    row.instead === 'the same call' ? row.today.path : /^`GET (\S+)`/.exec(row.instead)?.[1];
  if (path === undefined) throw new Error(`This cannot be carried out: ${row.instead}`);
  const hasPages = row.instead.includes('`meta.next_cursor`');
  const stop = Number(/stop at (\d+) items/.exec(row.instead)?.[1] ?? Number.POSITIVE_INFINITY);
  const conditions = [...row.instead.matchAll(condition)];
  let items: unknown[] | undefined;
  let requests = 0;
  let cursor = '';
  for (;;) {
    const { status, body } = await get(`${path}${cursor}`);
    requests += 1;
    if (status !== 200) throw new Error(`${path}${cursor}: ${status}`);
    if (Array.isArray(body.data))
      items = [
        ...(items ?? []),
        ...body.data.filter((item) =>
          conditions.every(([, member = '', is = '', value = '']) =>
            tests[is]?.(valueAt(item, member), value),
          ),
        ),
      ].slice(0, stop);
    const next = body.meta?.next_cursor ?? undefined;
    if (!hasPages || next === undefined || (items ?? []).length >= stop) return { items, requests };
    cursor = `&cursor=${next}`;
  }
};
