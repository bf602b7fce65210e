import type { FormName } from '../../../src/domain/caller.ts';
import type { SendRequest } from '../cases/send-request.ts';

/** Waits out a quota; gets the form that was asked and how long its window still is. */
export type Wait = (form: FormName, seconds: number) => Promise<void>;

/** Raised when a quota is spent for longer than anybody wants to wait. */
export class QuotaWaitExceeded extends Error {
  constructor(form: FormName, seconds: number) {
    super(
      `The quota of the ${form} form is spent for ${seconds} seconds: ask again then, or allow more with --max-wait.`,
    );
    this.name = 'TooLong';
  }
}

/** Asks again when a quota is spent, as soon as its window ends. */
export const withRetryAfter =
  (ask: SendRequest, wait: Wait, longestSeconds: number): SendRequest =>
  async (request) => {
    for (;;) {
      const reply = await ask(request);
      const seconds = Number(reply.headers['retry-after'] ?? Number.NaN);
      if (reply.status !== 429 || Number.isNaN(seconds)) return reply;
      if (seconds > longestSeconds) throw new QuotaWaitExceeded(request.form, seconds);
      await wait(request.form, seconds);
    }
  };
