import {
  isList,
  isObject,
  type Json,
  parseJson,
  textAt,
  valueAt,
} from '../../../src/domain/json.ts';
import type { ComparedForm } from '../../migration/mapping/forms.ts';
import { requestedNumber } from '../../migration/mapping/request-rows.ts';
import type { KeyKind } from '../targets/ephemeral-keys.ts';
import type { CaseSide } from './cases.ts';
import { type CaseFocus, createItemFilter, fillPlaceholders } from './placeholders.ts';

export interface ComparisonRequest {
  readonly form: ComparedForm;
  readonly key: KeyKind;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A text that equal requests share. */
export const requestIdentity = ({ form, key, method, path, headers }: ComparisonRequest): string =>
  JSON.stringify([form, key, method, path, headers]);

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export type SendRequest = (request: ComparisonRequest) => Promise<ReceivedResponse>;

export interface SideResponse {
  readonly path: string;
  readonly replies: readonly ReceivedResponse[];
  readonly bodies: readonly (Json | undefined)[];
  readonly limit: number;
  readonly items: readonly Json[];
  readonly truncated: boolean;
}

export type CaseResponses = Readonly<Record<ComparedForm, SideResponse>>;

/** A path and query as the mapping has them: below `/api/v1`. */
export const pathBelow = ({ path }: { readonly path: string }): string =>
  path.replace('/api/v1', '');

const limitOf = (form: ComparedForm, path: string): number =>
  requestedNumber(form, path, 'limit') ?? Number.POSITIVE_INFINITY;

/** The items of a body: of its list, or its detail. */
export const itemsIn = (body: Json | undefined): readonly Json[] => {
  const data = valueAt(body, 'data');
  return isList(data) ? data : data === undefined ? [] : [data];
};

export const withoutItems = (body: Json): Json =>
  isObject(body)
    ? Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'data'))
    : body;

/** The path of the page after a body; `undefined` after the last one. */
export const nextPath = (path: string, body: Json | undefined): string | undefined => {
  const cursor = textAt(body, 'meta.next_cursor');
  return cursor === undefined
    ? undefined
    : `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
};

/**
 * Sends the requests of one side of a case: fills placeholders, repeats the request, follows pages,
 * filters items.
 */
export const askSide = async (
  send: SendRequest,
  form: ComparedForm,
  key: KeyKind,
  side: CaseSide,
  focus: CaseFocus,
): Promise<SideResponse> => {
  const { method, headers, after, times = 1, pages } = side;
  const isCompared = createItemFilter(side, form, focus);
  const fill = (text: string) => fillPlaceholders(text, form, focus, encodeURIComponent);
  const sendTo = (path: string) => send({ form, key, method, headers, path: `/api/v1${path}` });
  const before = after === undefined ? undefined : parseJson((await sendTo(fill(after))).text);
  const path = fill(side.ask).replace(
    '{cursor}',
    encodeURIComponent(textAt(before, 'meta.next_cursor') ?? ''),
  );
  for (let sent = 1; sent < times; sent++) await sendTo(path);

  const replies: ReceivedResponse[] = [];
  const bodies: (Json | undefined)[] = [];
  let next: string | undefined = path;
  while (next !== undefined && replies.length < pages) {
    const reply = await sendTo(next);
    const body = parseJson(reply.text);
    replies.push(reply);
    bodies.push(body);
    next = nextPath(path, body);
  }
  const items = bodies.flatMap(itemsIn);
  // A form without cursors does not say whether there are more items: a full page may be truncated.
  const limit = limitOf(form, path);
  const isFull = items.length > 0 && items.length % limit === 0;
  const isPaged =
    !path.startsWith('/added') && valueAt(bodies.at(-1), 'meta.next_cursor') !== undefined;
  return {
    path: `/api/v1${path}`,
    replies,
    bodies,
    limit,
    items: items.filter(isCompared),
    truncated: isPaged ? next !== undefined : isFull,
  };
};
