import { expect } from 'chai';
import type { Answer } from '../gateway-process.ts';
import type { Sample } from '../load.ts';

export const isOutage = ({ status, body, headers }: Answer): boolean =>
  status === 503 &&
  body.startsWith('{"error":{"code":"service_unavailable"') &&
  Number(headers['retry-after']) > 0;

export const isVariantOutage = ({ status, body, headers }: Answer): boolean =>
  status === 500 &&
  body.startsWith('{"error":"server_error"') &&
  Number(headers['retry-after']) > 0;

export const isServed = ({ answer }: Sample): boolean => answer?.status === 200;

/** Asserts that every request got a 200 or an outage in the current form, none a 429. */
export const expectOnlyOutages = (samples: readonly Sample[]): void => {
  expect(samples.length).to.be.greaterThan(20);
  for (const { answer } of samples) {
    if (answer === undefined) throw new Error('a request got no answer');
    expect(
      answer.status === 200 || isOutage(answer),
      `${answer.status} ${answer.body.slice(0, 200)}`,
    ).to.equal(true);
  }
};
