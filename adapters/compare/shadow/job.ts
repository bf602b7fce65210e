import { byForm, type ComparedForm, isComparedForm, otherForm } from '../../../src/crosswalk/forms.ts';
import type { Scope } from '../../../src/domain/caller.ts';
import { dayOf } from '../../../src/domain/day.ts';
import type { Clock } from '../../../src/ports.ts';
import type { Form, KeyRoute } from '../../forms/form.ts';
import type { AnsweredQuestion } from '../../http/request-context.ts';
import { toIso } from '../../http/response-headers.ts';
import type { Reply } from '../../http/send.ts';
import { counterpartOf, questionMembers, requestFor } from './counterpart.ts';
import { renderInSlices } from './render-slices.ts';

/** An answer that was sent and is compared. */
export interface ObservedAnswer {
  readonly requestId: string;
  /** The form that was served. */
  readonly form: string;
  /** When it was answered on the scale of `Clock.elapsed()`. */
  readonly answeredAt: number;
  readonly answered: AnsweredQuestion;
  readonly reply: Reply;
  /** The instant of the reply, epoch milliseconds. */
  readonly now: number;
}

/** One answer in both forms, as the worker thread gets it: bytes are transferred, the rest is copied. */
export interface ShadowJob {
  /** The form that the client was served. */
  readonly served: ComparedForm;
  /** A request of each form for the question, as far as its answer is judged by it. */
  readonly requests: Readonly<Record<ComparedForm, string>>;
  /** The bytes that were sent, and the text of the other form. */
  readonly texts: Readonly<Record<ComparedForm, Uint8Array<ArrayBuffer> | string>>;
  /** Whether the bytes that were sent are compressed with gzip. */
  readonly compressed: boolean;
  /** Maximum number of items; infinite when the question has no limit. */
  readonly limit: number;
  readonly history: boolean;
  readonly basic: boolean;
  /** The artists that were answered, `{artist, series?}` as JSON, to check the members that only one form shows. */
  readonly artists: readonly string[];
  readonly scopes: readonly Scope[];
  readonly partner: string;
  readonly requestId: string;
}

/** A copy of the bytes that were sent; `undefined` for a stream. */
const bytesOf = ({ body }: Reply): Uint8Array<ArrayBuffer> | undefined => {
  if (body === undefined || 'stream' in body) return undefined;
  const bytes = new Uint8Array(body.length);
  let end = 0;
  for (const chunk of body.chunks) {
    bytes.set(chunk, end);
    end += chunk.length;
  }
  return bytes;
};

const routeAt = (form: Form | undefined, path: string): KeyRoute | undefined =>
  form?.routes.find((route): route is KeyRoute => route.path === path && route.access !== 'public');

/** Puts the question to both forms over the same catalogue, caller and instant. `undefined` when a form has no route for it. */
const askBoth = async ({ answered, form, now, requestId }: ObservedAnswer, forms: readonly Form[]) => {
  const { asked, route, caller, catalogue } = answered;
  if (!isComparedForm(form)) return undefined;
  const ownQuestion = { path: route.path, question: asked.question };
  const otherQuestion = counterpartOf(form, ownQuestion);
  if (otherQuestion === undefined) return undefined;
  const other = routeAt(
    forms.find(({ name }) => name === otherForm[form]),
    otherQuestion.path,
  );
  if (other === undefined) return undefined;
  const viewer = { scopes: caller.scopes, today: dayOf(now) };
  const meta = { requestId, generatedAt: toIso(now), partner: caller.key.partner };
  const present = async (question: AnsweredQuestion['asked']) =>
    (await question.query(catalogue, viewer)).present(meta);
  const [envelope, otherEnvelope] = [await present(asked), await present(other.restate(otherQuestion.question))];
  return {
    served: form,
    envelopes: byForm((one) => (one === form ? envelope : otherEnvelope)),
    requests: byForm((one) => requestFor(one === form ? ownQuestion : otherQuestion)),
  };
};

/**
 * Asks the other form, and renders what was not sent as bytes and the artists of the current form's answer. `undefined` when the
 * other form has no route for the question; `ms` is the work in this thread.
 */
export const createJob = async (one: ObservedAnswer, forms: readonly Form[], clock: Clock) => {
  const both = await askBoth(one, forms);
  if (both === undefined) return undefined;
  const { served, requests, envelopes } = both;
  const { caller, asked } = one.answered;
  const sent = bytesOf(one.reply);
  const isSent = byForm((form) => form === served && sent !== undefined);
  const artists = /\/(artists|added)/.test(requests.current);
  const current = await renderInSlices(envelopes.current, { text: !isSent.current, artists }, clock);
  const variant = await renderInSlices(isSent.variant ? {} : envelopes.variant, { text: true, artists: false }, clock);
  const texts = { current: current.text, variant: variant.text };
  const question = questionMembers(asked.question);
  const job: ShadowJob = {
    served,
    requests,
    texts: sent === undefined ? texts : { ...texts, [served]: sent },
    compressed: sent !== undefined && one.reply.headers['Content-Encoding'] === 'gzip',
    limit: Number(question['limit'] ?? Number.POSITIVE_INFINITY),
    history: question['includeHistory'] === true,
    basic: question['fields'] === 'basic',
    artists: current.artists,
    scopes: [...caller.scopes],
    partner: caller.key.partner,
    requestId: one.requestId,
  };
  return { job, ms: current.ms + variant.ms };
};
