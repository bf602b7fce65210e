import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import type { QuotaStore } from '../../src/ports.ts';
import { createManualClock } from '../support/clock.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keys } from '../support/forms/form-keys.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/wait.ts';

const path = '/api/v1/signings';
const maxInFlight = 256;

/** A quota store that counts its calls and does not answer until `answer` is called. */
const createSlowQuotas = (inner: QuotaStore) => {
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let calls = 0;
  const quotas: QuotaStore = {
    ...inner,
    async consume(allowance, deadline) {
      calls += 1;
      await answered;
      return inner.consume(allowance, deadline);
    },
  };
  return { quotas, answer: () => answer(), calls: () => calls };
};

describe('a request that cannot be answered at all', () => {
  it('frees its slot: as many as the limit leave room for the next', async () => {
    const [first, ...others] = forms;
    let isBroken = true;
    const notices = (): Record<string, string> => {
      if (isBroken) throw new Error('no notices');
      return {};
    };
    const gateway = await createTestGateway({ forms: [{ ...first, notices }, ...others] });
    const key = keys[first.name].full.text;
    for (let request = 0; request < maxInFlight; request += 1) {
      const [result] = await Promise.allSettled([gateway.send(path, key)]);
      expect(result.status, 'the connection is closed').to.equal('rejected');
    }
    isBroken = false;
    expect((await gateway.send(path, key)).status).to.equal(200);
    await gateway.close();
  });
});

describe('requests above the concurrency limit', () => {
  const clock = createManualClock();
  const slow = createSlowQuotas(createEmbeddedQuotas(clock));
  const key = keys.current.full.text;
  let gateway: TestGateway;
  let waiting: Promise<{ readonly status: number }[]>;
  before(async () => {
    gateway = await createTestGateway({ clock, quotas: slow.quotas });
    waiting = Promise.all(Array.from({ length: maxInFlight }, () => gateway.send(path, key)));
    await until('all of them wait', () => slow.calls() === maxInFlight);
  });
  after(() => gateway.close());

  for (const { name: form } of forms)
    it(`fail in the ${form} form for a key of this form, with Retry-After: 1`, async () => {
      const reply = await gateway.send(path, keys[form].full.text);
      const { status, code } = formExpectations[form].errors.unavailable;
      expect(reply.status).to.equal(status);
      expect(formExpectations[form].readError(reply.text).code).to.equal(code);
      expect(reply.headers['retry-after']).to.equal('1');
      expect(reply.headers).not.to.have.property('x-ratelimit-limit');
      expect(slow.calls()).to.equal(maxInFlight);
    });

  it('do not affect requests that cost no quota unit', async () => {
    expect((await gateway.send('/api/v1/health')).status).to.equal(200);
    expect((await gateway.send('/nope', key)).status).to.equal(404);
    expect((await gateway.send(path)).status).to.equal(401);
    expect((await gateway.send(path, key, { method: 'PUT' })).status).to.equal(405);
  });

  it('are counted in gateway_requests_shed_total, and succeed once others were answered', async () => {
    const count = async (): Promise<number> =>
      Number(/^gateway_requests_shed_total (\d+)$/m.exec(await gateway.metrics.read())?.[1]);
    const before = await count();
    await gateway.send(path, key);
    expect(await count()).to.equal(before + 1);
    slow.answer();
    expect((await waiting).every(({ status }) => status === 200)).to.equal(true);
    expect((await gateway.send(path, key)).status).to.equal(200);
  });
});
