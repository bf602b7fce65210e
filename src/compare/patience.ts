import type { FormName } from '../caller.ts';
import type { Ask } from './asking.ts';

/** Waits out a quota; gets the form that was asked and how long its window still is. */
export type Wait = (form: FormName, seconds: number) => Promise<void>;

/** Raised when a quota is spent for longer than anybody wants to wait. */
export class TooLong extends Error {
  constructor(form: FormName, seconds: number) {
    super(
      `The quota of the ${form} form is spent for ${seconds} seconds: ask again then, or allow more with --max-wait.`,
    );
    this.name = 'TooLong';
  }
}

/** Asks again when a quota is spent, as soon as its window ends. */
export const createPatientAsk =
  (ask: Ask, wait: Wait, longestSeconds: number): Ask =>
  async (request) => {
    for (;;) {
      const reply = await ask(request);
      const seconds = Number(reply.headers['retry-after'] ?? Number.NaN);
      if (reply.status !== 429 || Number.isNaN(seconds)) return reply;
      if (seconds > longestSeconds) throw new TooLong(request.form, seconds);
      await wait(request.form, seconds);
    }
  };
