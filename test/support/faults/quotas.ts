import { expect } from 'chai';
import type { Answer } from '../gateway-process.ts';
import { allowedMs, type Sample } from '../load.ts';

/**
 * Milliseconds. A later answer waited for the fault to end: every store has a time-out of at most a
 * second.
 */
export const hangMs = 3_000;

export const isOutage = ({ status, body, headers }: Answer): boolean =>
  status === 503 &&
  body.startsWith('{"error":{"code":"service_unavailable"') &&
  Number(headers['retry-after']) > 0;

export const isVariantOutage = ({ status, body, headers }: Answer): boolean =>
  status === 500 &&
  body.startsWith('{"error":"server_error"') &&
  Number(headers['retry-after']) > 0;

export const isServed = ({ answer }: Sample): boolean => answer?.status === 200;

/**
 * Asserts that every request got a 200 or an outage in the current form, none a 429, and each in
 * time.
 */
export const expectOnlyOutages = (samples: readonly Sample[]): void => {
  expect(samples.length).to.be.greaterThan(20);
  const maxMs = allowedMs(hangMs, samples);
  for (const { answer } of samples) {
    if (answer === undefined) throw new Error('a request got no answer');
    expect(answer.ms).to.be.lessThan(maxMs);
    expect(
      answer.status === 200 || isOutage(answer),
      `${answer.status} ${answer.body.slice(0, 200)}`,
    ).to.equal(true);
  }
};
