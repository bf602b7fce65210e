import { isDeferredMember } from '../../../adapters/forms/envelope.ts';
import { forms } from '../../../adapters/forms/forms.ts';
import { readQuery, splitTarget } from '../../../adapters/http/request-target.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { Viewer } from '../../../src/catalogue/queries.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import { type Json, textAt, valueAt } from '../../../src/domain/json.ts';
import { Problem } from '../../../src/domain/problem.ts';
import {
  type CallPlan,
  type ItemFilter,
  planCall,
  type SamplePair,
  targetOf,
} from '../../migration/call-plan.ts';
import type { SeenCall } from '../../migration/calls.ts';
import { requestedMove } from '../../migration/evidence.ts';

interface Answer {
  readonly status: number;
  readonly items: readonly Json[] | undefined;
  readonly nextCursor: string | undefined;
}

const noOne = { requestId: '', generatedAt: '', partner: '' };

const ask = async (
  name: string,
  target: string,
  catalogue: Catalogue,
  viewer: Viewer,
): Promise<Answer> => {
  const form = factsOfForm(forms, name);
  const parts = splitTarget(`/api/v1${target}`);
  const route = form.routes.find(({ path }) => path === parts.path);
  if (route === undefined) throw new Error(`No form has ${parts.path}.`);
  if (route.access === 'public') return { status: 200, items: undefined, nextCursor: undefined };
  try {
    const parsed = route.parse(readQuery(parts), {});
    const { data: list, meta } = (await parsed.runOn(catalogue, viewer)).present(noOne);
    const presented =
      isDeferredMember(list) && list.kind === 'list'
        ? list.items.map((item) => list.present(item))
        : undefined;
    // presenters make what is rendered as JSON
    const [items, around] = [presented, meta] as [readonly Json[] | undefined, Json | undefined];
    return { status: 200, items, nextCursor: textAt(around, 'next_cursor') };
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
    const { status } = form.problems[thrown.kind];
    return { status, items: undefined, nextCursor: undefined };
  }
};

const passes = (item: Json, { member, is, value }: ItemFilter): boolean => {
  const found = valueAt(item, member);
  if (is === 'equal to') return found === value;
  if (is === 'not equal to') return found !== value;
  if (typeof found !== 'string') return false;
  return is === 'not before' ? found >= value : found <= value;
};

/**
 * The identifier, in the form left, of the first artist that a call finds without its `id=`: an
 * example whose response has an item. `undefined` if there is none.
 */
export const findSample = async (
  call: SeenCall,
  catalogue: Catalogue,
  viewer: Viewer,
): Promise<unknown> => {
  const target = targetOf(call, { fromId: '', toId: '' });
  const [path = '', query] = target.split('?');
  const others = new URLSearchParams(query);
  if (!others.has('id')) return undefined;
  others.delete('id');
  const { items } = await ask(requestedMove.from, `${path}?${others}`, catalogue, viewer);
  return valueAt(items?.[0], 'id');
};

export interface Measured {
  readonly target: string;
  readonly status: number;
  readonly items: number | undefined;
}

export interface MeasuredCall {
  readonly plan: CallPlan;
  readonly before: Measured;
  readonly unchanged: Measured;
  readonly after: { readonly items: number | undefined; readonly requests: number };
}

/**
 * Asks both forms for a call over a catalogue, and for what takes its place.
 *
 * @param pair the identifiers of an artist that a call with `id=` is about
 */
export const measureCall = async (
  call: SeenCall,
  pair: SamplePair,
  catalogue: Catalogue,
  viewer: Viewer,
): Promise<MeasuredCall> => {
  const { from, to } = requestedMove;
  const target = targetOf(call, pair);
  const plan = planCall(target, viewer.today, pair);
  const measure = async (form: string): Promise<Measured> => {
    const { status, items } = await ask(form, target, catalogue, viewer);
    return { target, status, items: items?.length };
  };
  const [before, unchanged] = [await measure(from), await measure(to)];
  let items: number | undefined = plan.target === undefined ? 0 : undefined;
  let requests = 0;
  let next = plan.target;
  while (next !== undefined) {
    const answer = await ask(to, next, catalogue, viewer);
    requests += 1;
    const kept = answer.items?.filter((item) => plan.keep.every((each) => passes(item, each)));
    if (kept !== undefined) items = Math.min((items ?? 0) + kept.length, plan.upTo ?? Infinity);
    const isDone = plan.upTo === undefined || (items ?? 0) >= plan.upTo;
    next =
      isDone || answer.nextCursor === undefined
        ? undefined
        : `${plan.target}&cursor=${encodeURIComponent(answer.nextCursor)}`;
  }
  return { plan, before, unchanged, after: { items, requests } };
};
