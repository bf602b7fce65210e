import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type DeferredMember,
  type Envelope,
  isDeferredMember,
} from '../../../adapters/forms/envelope.ts';
import type { Form, KeyRoute, ParsedQuery } from '../../../adapters/forms/form.ts';
import type { AnsweredQuestion, RequestContext } from '../../../adapters/http/request-context.ts';
import { toIso } from '../../../adapters/http/response-headers.ts';
import { dayOf } from '../../../src/domain/day.ts';
import { type ComparedForm, isComparedForm, otherForm } from '../../crosswalk/forms.ts';
import { type Json, parseJson } from '../../crosswalk/json.ts';
import { itemsIn, type SideResponse } from '../cases/send-request.ts';
import { counterpartOf, questionMembers, requestFor } from './counterpart.ts';

/** An answer that was sent and is compared. */
export interface ObservedAnswer extends Pick<RequestContext, 'requestId' | 'form' | 'now'> {
  readonly answered: AnsweredQuestion;
}

/**
 * An answer of one form, and what its items were made of: models of artists with their series, of
 * spikes or of signings.
 */
interface PresentedAnswer {
  readonly response: SideResponse;
  readonly models: readonly Json[];
}

/** Maximum number of items of an answer that is compared: each takes up to a millisecond. */
const maxItems = 50;

const asJson = (value: unknown): Json => parseJson(JSON.stringify(value)) ?? null;

/**
 * The items of a deferred member, one more than may be compared at most, each with the data that it
 * is presented with.
 */
const itemsOf = (member: DeferredMember) => {
  if (member.kind === 'detail') return [member];
  if (member.kind === 'stream') return member.items;
  return member.items.slice(0, maxItems + 1).map((item) => ({ item, load: async () => ({}) }));
};

/**
 * Presents an answer without any cache of the request path, an item in a turn of the loop;
 * `undefined` above `maxItems`.
 */
const present = async ({ data, ...around }: Envelope) => {
  if (!isDeferredMember(data)) return undefined;
  const items = itemsOf(data);
  if (items.length > maxItems) return undefined;
  const wires: Json[] = [];
  const models: Json[] = [];
  for (const { item, load } of items) {
    const more = await load();
    wires.push(asJson(data.present(item, more)));
    models.push(asJson({ ...item, ...more }));
    await nextTurn();
  }
  return { body: asJson({ ...around, data: data.kind === 'detail' ? wires[0] : wires }), models };
};

const routeAt = (form: Form | undefined, path: string | undefined): KeyRoute | undefined =>
  form?.routes.find((route): route is KeyRoute => route.path === path && route.access !== 'public');

/**
 * Puts the question to both forms over the snapshot, the caller and the instant of the answer that
 * was sent. `undefined` when the other form has no route for it, and when one of the answers has
 * more than `maxItems`. Rejects when a history cannot be loaded.
 */
export const askBothForms = async (
  { answered, form, now, requestId }: ObservedAnswer,
  forms: readonly Form[],
): Promise<Readonly<Record<ComparedForm, PresentedAnswer>> | undefined> => {
  const { asked, route, caller, catalogue } = answered;
  if (!isComparedForm(form.name)) return undefined;
  const otherName = otherForm[form.name];
  const question = { path: route.path, question: asked.question };
  const otherQuestion = counterpartOf(form.name, question);
  const otherRoute = routeAt(
    forms.find(({ name }) => name === otherName),
    otherQuestion?.path,
  );
  if (otherQuestion === undefined || otherRoute === undefined) return undefined;

  const limit = Number(questionMembers(asked.question)['limit'] ?? Number.POSITIVE_INFINITY);
  const answer = async (query: ParsedQuery, path: string): Promise<PresentedAnswer | undefined> => {
    const viewer = { scopes: caller.scopes, today: dayOf(now) };
    const meta = { requestId, generatedAt: toIso(now), partner: caller.key.partner };
    const presented = await present((await query.query(catalogue, viewer)).present(meta));
    if (presented === undefined) return undefined;
    const { body, models } = presented;
    const replies = [{ status: 200, headers: {}, text: '' }];
    return {
      response: { path, replies, bodies: [body], limit, items: itemsIn(body), truncated: false },
      models,
    };
  };
  const own = await answer(asked, requestFor(question));
  const other =
    own && (await answer(otherRoute.restate(otherQuestion.question), requestFor(otherQuestion)));
  if (own === undefined || other === undefined) return undefined;
  return form.name === 'current'
    ? { current: own, variant: other }
    : { current: other, variant: own };
};
