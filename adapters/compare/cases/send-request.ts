import { isList, type Json, parseJson, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import type { KeyKind, SideOfCase } from './cases.ts';
import { createItemFilter } from './item-filter.ts';
import { type Focus, fillPlaceholders } from './placeholders.ts';

/** One request, for a form and with a key of a kind. */
export interface Request {
  readonly form: FormName;
  readonly key: KeyKind;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReceivedResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Puts a request to a gateway. */
export type SendRequest = (request: Request) => Promise<ReceivedResponse>;

/** What one form answered: the replies to the pages, and the items of them all. */
export interface SideResponse {
  /** The first request's path. */
  readonly path: string;
  readonly replies: readonly ReceivedResponse[];
  readonly bodies: readonly (Json | undefined)[];
  /** The items that are compared. */
  readonly items: readonly Json[];
  /** Whether there is more, or may be, behind the last item. */
  readonly cut: boolean;
}

/** The items in a body: those of its list, or the one of a detail. */
export const itemsIn = (body: Json | undefined): readonly Json[] => {
  const data = valueAt(body, 'data');
  return isList(data) ? data : data === undefined ? [] : [data];
};

const nextPath = (path: string, body: Json | undefined): string | undefined => {
  const cursor = textAt(body, 'meta.next_cursor');
  const glue = path.includes('?') ? '&' : '?';
  return cursor && `${path}${glue}cursor=${encodeURIComponent(cursor)}`;
};

interface Pages {
  readonly replies: readonly ReceivedResponse[];
  readonly bodies: readonly (Json | undefined)[];
  readonly hasMore: boolean;
}

const askPages = async (
  ask: (path: string) => Promise<ReceivedResponse>,
  path: string,
  pages: number,
): Promise<Pages> => {
  const replies: ReceivedResponse[] = [];
  const bodies: (Json | undefined)[] = [];
  let next: string | undefined = path;
  while (next !== undefined && replies.length < pages) {
    const reply = await ask(next);
    const body = parseJson(reply.text);
    replies.push(reply);
    bodies.push(body);
    next = nextPath(path, body);
  }
  return { replies, bodies, hasMore: next !== undefined };
};

/** Asks one side of a case. `limitOf` tells how many items a path and query give at most. */
export const askForm = async (
  ask: SendRequest,
  form: FormName,
  key: KeyKind,
  side: SideOfCase,
  focus: Focus,
  limitOf: (form: FormName, path: string) => number,
): Promise<SideResponse> => {
  const request = { form, key, method: side.method, headers: side.headers };
  const fill = (text: string) => fillPlaceholders(text, form, focus, encodeURIComponent);
  const askPath = (path: string) => ask({ ...request, path: `/api/v1${path}` });
  const before = side.after === undefined ? undefined : parseJson((await askPath(fill(side.after))).text);
  const path = fill(side.ask).replace('{cursor}', encodeURIComponent(textAt(before, 'meta.next_cursor') ?? ''));
  for (let turn = 1; turn < (side.times ?? 1); turn++) await askPath(path);
  const { replies, bodies, hasMore } = await askPages(askPath, path, side.pages);
  const all = bodies.flatMap(itemsIn);
  // Without a cursor nobody says whether there is more: a full page may have been cut.
  const isFull = all.length > 0 && all.length % limitOf(form, path) === 0;
  const isPaged = !path.startsWith('/added') && valueAt(bodies.at(-1), 'meta.next_cursor') !== undefined;
  const items = all.filter(createItemFilter(side, form, focus));
  return { path: `/api/v1${path}`, replies, bodies, items, cut: isPaged ? hasMore : isFull };
};
