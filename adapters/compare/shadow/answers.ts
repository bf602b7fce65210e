import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ComparedForm, isComparedForm, otherForm } from '../../../src/crosswalk/forms.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../../src/crosswalk/json.ts';
import { dayOf } from '../../../src/domain/day.ts';
import { type DeferredMember, type Envelope, isDeferredMember } from '../../forms/envelope.ts';
import type { Form, KeyRoute, ParsedQuery } from '../../forms/form.ts';
import type { AnsweredQuestion } from '../../http/request-context.ts';
import { toIso } from '../../http/response-headers.ts';
import { itemsIn, type SideResponse } from '../cases/send-request.ts';
import { counterpartOf, questionMembers, requestFor } from './counterpart.ts';

/** An answer that was sent and is compared. */
export interface ObservedAnswer {
  readonly requestId: string;
  /** The form that was served. */
  readonly form: string;
  /** When it was answered on the scale of `Clock.elapsed()`. */
  readonly answeredAt: number;
  readonly answered: AnsweredQuestion;
  /** The instant of the reply, epoch milliseconds. */
  readonly now: number;
}

/** An answer of one form, and what its items were made of: models of artists and of their series. */
interface PresentedAnswer {
  readonly response: SideResponse;
  readonly models: readonly JsonObject[];
}

/** Maximum number of items of an answer that is compared: each takes up to a millisecond. */
const maxItems = 50;

const asJson = (value: unknown): Json => parseJson(JSON.stringify(value)) ?? null;

const asObject = (value: unknown): JsonObject => {
  const json = asJson(value);
  return isObject(json) ? json : {};
};

/** The items of a deferred member, one more than may be compared at most, each with the data that it is presented with. */
const itemsOf = (member: DeferredMember) => {
  if (member.kind === 'list')
    return member.items.slice(0, maxItems + 1).map((item) => ({ item, load: async () => ({}), more: undefined }));
  return member.kind === 'detail' ? [member] : member.items;
};

const presentItem = (member: DeferredMember, item: object, more: unknown): unknown =>
  member.kind === 'list' ? member.present(item) : member.present(item, more);

/** Presents an answer without any cache of the request path, an item in a turn of the loop; `undefined` above `maxItems`. */
const present = async (envelope: Envelope) => {
  const body: Record<string, Json> = {};
  const models: JsonObject[] = [];
  for (const [name, value] of Object.entries(envelope)) {
    if (value === undefined) continue;
    if (!isDeferredMember(value)) {
      body[name] = asJson(value);
      continue;
    }
    const items = itemsOf(value);
    if (items.length > maxItems) return undefined;
    const wires: Json[] = [];
    for (const { item, load } of items) {
      const more = await load();
      wires.push(asJson(presentItem(value, item, more)));
      models.push(asObject({ artist: item, ...Object(more) }));
      await nextTurn();
    }
    body[name] = value.kind === 'detail' ? (wires[0] ?? null) : wires;
  }
  return { body, models };
};

const routeAt = (form: Form | undefined, path: string): KeyRoute | undefined =>
  form?.routes.find((route): route is KeyRoute => route.path === path && route.access !== 'public');

/**
 * Puts the question to both forms over the snapshot, the caller and the instant of the answer that was sent. `undefined` when the
 * other form has no route for it, and when one of the answers has more than `maxItems`. Rejects when a history cannot be loaded.
 */
export const askBothForms = async ({ answered, form, now, requestId }: ObservedAnswer, forms: readonly Form[]) => {
  const { asked, route, caller, catalogue } = answered;
  if (!isComparedForm(form)) return undefined;
  const question = { path: route.path, question: asked.question };
  const otherQuestion = counterpartOf(form, question);
  const other = forms.find(({ name }) => name === otherForm[form]);
  const otherRoute = routeAt(other, otherQuestion?.path ?? '');
  if (otherQuestion === undefined || otherRoute === undefined) return undefined;

  const limit = Number(questionMembers(asked.question)['limit'] ?? Number.POSITIVE_INFINITY);
  const answer = async (query: ParsedQuery, path: string): Promise<PresentedAnswer | undefined> => {
    const viewer = { scopes: caller.scopes, today: dayOf(now) };
    const meta = { requestId, generatedAt: toIso(now), partner: caller.key.partner };
    const presented = await present((await query.query(catalogue, viewer)).present(meta));
    if (presented === undefined) return undefined;
    const { body, models } = presented;
    const replies = [{ status: 200, headers: {}, text: '' }];
    return { response: { path, replies, bodies: [body], limit, items: itemsIn(body), truncated: false }, models };
  };
  const own = await answer(asked, requestFor(question));
  const others = own && (await answer(otherRoute.restate(otherQuestion.question), requestFor(otherQuestion)));
  if (own === undefined || others === undefined) return undefined;
  const both: Readonly<Record<ComparedForm, PresentedAnswer>> =
    form === 'current' ? { current: own, variant: others } : { current: others, variant: own };
  return both;
};
