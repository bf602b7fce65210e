import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quota.ts';
import type { QuotaStore } from '../../src/ports.ts';
import { createManualClock } from '../support/clock.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keySource, keys } from '../support/forms/form-keys.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/wait.ts';

const path = '/api/v1/signings';
const mostInWork = 256;

/** A quota store that counts, and keeps everybody waiting until it is told to answer. */
const createSlowQuotas = (inner: QuotaStore) => {
  let answer = (): void => {};
  const told = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let asked = 0;
  const quotas: QuotaStore = {
    ...inner,
    async consume(allowance, deadline) {
      asked += 1;
      await told;
      return inner.consume(allowance, deadline);
    },
  };
  return { quotas, answer: () => answer(), asked: () => asked };
};

describe('too many requests in work', () => {
  for (const { name: form } of forms) {
    describe(`with keys of the ${form} form`, () => {
      const clock = createManualClock();
      const slow = createSlowQuotas(createEmbeddedQuotas(clock));
      const key = keys[form].full.text;
      let gateway: TestGateway;
      let waiting: Promise<{ readonly status: number }[]>;
      before(async () => {
        gateway = await createTestGateway({ clock, keys: keySource, quotas: slow.quotas });
        waiting = Promise.all(Array.from({ length: mostInWork }, () => gateway.send(path, key)));
        await until('all of them wait', () => slow.asked() === mostInWork);
      });
      after(() => gateway.close());

      it('are shed in the key’s form, to be tried again in a second', async () => {
        const reply = await gateway.send(path, key);
        const { status, code } = formExpectations[form].errors.unavailable;
        expect(reply.status).to.equal(status);
        expect(formExpectations[form].readError(reply.text).code).to.equal(code);
        expect(reply.headers['retry-after']).to.equal('1');
        expect(reply.headers).not.to.have.property('x-ratelimit-limit');
        expect(slow.asked()).to.equal(mostInWork);
      });

      it('do not keep what costs nothing from being answered', async () => {
        expect((await gateway.send('/api/v1/health')).status).to.equal(200);
        expect((await gateway.send('/nope', key)).status).to.equal(404);
        expect((await gateway.send(path)).status).to.equal(401);
        expect((await gateway.send(path, key, { method: 'PUT' })).status).to.equal(405);
      });

      it('are counted by the metrics, and make way for others when they are answered', async () => {
        expect(await gateway.metrics.read()).to.match(/^gateway_requests_shed_total 1$/m);
        slow.answer();
        expect((await waiting).every(({ status }) => status === 200)).to.equal(true);
        expect((await gateway.send(path, key)).status).to.equal(200);
      });
    });
  }
});
