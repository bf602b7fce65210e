import { setImmediate } from 'node:timers/promises';
import { byForm, isComparedForm, otherForm } from '../../../src/crosswalk/forms.ts';
import { dayOf } from '../../../src/domain/day.ts';
import type { Clock } from '../../../src/ports.ts';
import type { Form, KeyRoute } from '../../forms/form.ts';
import type { ObserveReply } from '../../http/pipeline.ts';
import type { AnsweredQuestion } from '../../http/request-context.ts';
import { toIso } from '../../http/response-headers.ts';
import type { Reply } from '../../http/send.ts';
import { createProcessorBudget } from './budget.ts';
import { counterpartOf, questionMembers, requestFor } from './counterpart.ts';
import type { ShadowJob } from './job.ts';
import { JudgeFailure, type JudgeThread } from './judge-thread.ts';
import { AnswerTooLarge, maxAnswerLength, renderInSlices } from './render-slices.ts';
import type { ComparedRequest, ShadowReport } from './shadow-report.ts';

export interface ShadowOptions {
  /** Share of answers that are compared, above 0 and at most 1, and of one processor's time below 1. */
  readonly share: number;
  readonly forms: readonly Form[];
  readonly clock: Clock;
  readonly thread: JudgeThread;
  readonly report: ShadowReport;
  /** Milliseconds without comparisons after the worker thread failed. */
  readonly pauseMs?: number;
}

/** Compares a share of the answers with the other form, after the reply was sent. */
export interface Shadow {
  /** Never throws; returns at once. */
  readonly observe: ObserveReply;
  /** Resolves when nothing waits for its comparison. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Answers that wait for their comparison. Each keeps its body and its snapshot in memory. */
const maxWaiting = 64;

const defaultPauseMs = 30_000;

/** An answer that waits for its comparison. */
interface WaitingAnswer extends ComparedRequest {
  readonly answered: AnsweredQuestion;
  readonly reply: Reply;
  /** The instant of the reply, epoch milliseconds. */
  readonly now: number;
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

const isTooLarge = ({ body }: Reply): boolean =>
  body !== undefined && 'length' in body && body.length > maxAnswerLength;

const routeAt = (form: Form | undefined, path: string): KeyRoute | undefined =>
  form?.routes.find((route): route is KeyRoute => route.path === path && route.access !== 'public');

/** Puts the question to both forms over the same catalogue, caller and instant. `undefined` when a form has no route for it. */
const askBoth = ({ answered, form, now, requestId }: WaitingAnswer, forms: readonly Form[]) => {
  const { asked, route, caller, catalogue } = answered;
  if (!isComparedForm(form)) return undefined;
  const ownQuestion = { path: route.path, question: asked.question };
  const otherQuestion = counterpartOf(form, ownQuestion);
  const other = routeAt(
    forms.find(({ name }) => name === otherForm[form]),
    otherQuestion.path,
  );
  if (other === undefined) return undefined;
  const viewer = { scopes: caller.scopes, today: dayOf(now) };
  const meta = { requestId, generatedAt: toIso(now), partner: caller.key.partner };
  const present = (question: AnsweredQuestion['asked']) => question.query(catalogue, viewer).present(meta);
  return {
    served: form,
    envelopes: byForm((one) => present(one === form ? asked : other.restate(otherQuestion.question))),
    requests: byForm((one) => requestFor(one === form ? ownQuestion : otherQuestion)),
  };
};

type BothAnswers = NonNullable<ReturnType<typeof askBoth>>;

/** Renders what was not sent as bytes, and the artists of the current form's answer. */
const createJob = async (waiting: WaitingAnswer, both: BothAnswers, clock: Clock) => {
  const { served, requests, envelopes } = both;
  const { caller, asked } = waiting.answered;
  const sent = bytesOf(waiting.reply);
  const artists = /\/(artists|added)/.test(requests.current);
  const isSent = byForm((form) => form === served && sent !== undefined);
  const current = await renderInSlices(envelopes.current, { text: !isSent.current, artists }, clock);
  const variant = isSent.variant
    ? undefined
    : await renderInSlices(envelopes.variant, { text: true, artists: false }, clock);
  const texts = { current: current.text, variant: variant?.text ?? '' };
  const question = questionMembers(asked.question);
  const job: ShadowJob = {
    served,
    requests,
    texts: sent === undefined ? texts : { ...texts, [served]: sent },
    compressed: sent !== undefined && waiting.reply.headers['Content-Encoding'] === 'gzip',
    limit: Number(question['limit'] ?? Number.POSITIVE_INFINITY),
    history: question['includeHistory'] === true,
    basic: question['fields'] === 'basic',
    artists: current.artists,
    scopes: [...caller.scopes],
    partner: caller.key.partner,
    requestId: waiting.requestId,
  };
  return { job, ms: current.ms + (variant?.ms ?? 0) };
};

/** Creates a shadow comparison. It answers no request: a full queue, a throw or a hung thread only shows in its report. */
export const createShadow = (options: ShadowOptions): Shadow => {
  const { share, forms, clock, thread, report, pauseMs = defaultPauseMs } = options;
  const budget = createProcessorBudget(share, clock);
  const waiting: WaitingAnswer[] = [];
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  let isClosed = false;

  const compareOne = async (one: WaitingAnswer): Promise<void> => {
    const both = askBoth(one, forms);
    if (both === undefined) return report.passed('skipped');
    const { job, ms } = await createJob(one, both, clock);
    const judgement = await thread.judge(job);
    budget.spend(ms + judgement.ms);
    report.judged(one, judgement.causes);
  };

  const compareAll = async (): Promise<void> => {
    await setImmediate(); // after the work of the request
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      if (clock.elapsed() < pausedUntil) {
        report.passed('dropped');
        continue;
      }
      try {
        await compareOne(one);
      } catch (failure) {
        if (isClosed) return;
        if (failure instanceof AnswerTooLarge) {
          report.passed('skipped');
          continue;
        }
        if (failure instanceof JudgeFailure) pausedUntil = clock.elapsed() + pauseMs;
        report.failed(one, failure);
      }
    }
  };

  return {
    observe({ requestId, form, now, answered }, reply) {
      if (isClosed || answered === undefined || (share < 1 && Math.random() >= share)) return;
      if (reply.status !== 200 || isTooLarge(reply)) return report.passed('skipped');
      const isPaused = clock.elapsed() < pausedUntil;
      if (isPaused || waiting.length >= maxWaiting || budget.isSpent()) return report.passed('dropped');
      const { route, caller } = answered;
      waiting.push({ requestId, form: form.name, answeredAt: clock.elapsed(), route, caller, answered, reply, now });
      running ??= compareAll().finally(() => {
        running = undefined;
      });
    },
    settled: async () => {
      while (running !== undefined) await running;
    },
    async close() {
      isClosed = true;
      waiting.length = 0;
      await thread.close();
    },
  };
};
