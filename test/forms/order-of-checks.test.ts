import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import type { ComparedForm } from '../../src/crosswalk/forms.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { deadCatalogue, deadKeys, deadQuotas } from '../support/forms/dead-stores.ts';
import { type ErrorName, formExpectations } from '../support/forms/form-expectations.ts';
import { createTestGateway } from '../support/gateway.ts';

/**
 * The checks run in the order path, method, key, freshness of the data, quota, scope, parameters, record; the first that
 * fails decides the answer. Each row fails several checks.
 */
interface Row {
  readonly fails: string;
  readonly path?: string;
  readonly method?: string;
  readonly key?: 'none' | 'revoked' | 'spent' | 'scopeless';
  readonly catalogue?: 'dead';
  readonly quotas?: 'dead';
  readonly keys?: 'dead';
  readonly answers: ErrorName;
}

const rows: readonly Row[] = [
  { fails: 'path, method, key and data', path: '/labels', method: 'POST', key: 'none', answers: 'notFound' },
  { fails: 'path and key store', path: '/labels', keys: 'dead', answers: 'notFound' },
  { fails: 'method and key', method: 'POST', key: 'revoked', answers: 'method' },
  { fails: 'method and data', method: 'PUT', catalogue: 'dead', quotas: 'dead', answers: 'method' },
  { fails: 'key, data and quota', key: 'revoked', catalogue: 'dead', quotas: 'dead', answers: 'unauthorized' },
  { fails: 'data, quota and scope', key: 'spent', catalogue: 'dead', answers: 'unavailable' },
  { fails: 'quota store and scope', key: 'scopeless', quotas: 'dead', answers: 'unavailable' },
  { fails: 'quota, scope and parameters', key: 'spent', path: '/spikes?days=no', answers: 'windowSpent' },
  { fails: 'scope and parameters', key: 'scopeless', path: '/spikes?days=no', answers: 'scope' },
  { fails: 'scope and record', key: 'scopeless', path: '/artists?id=nobody', answers: 'scope' },
];

const createKeys = (form: ComparedForm) => ({
  revoked: buildKey({ id: 'revoked', form, revokedAt: 0 }),
  spent: buildKey({ id: 'spent', form, scopes: [], perHour: 0, organizationId: 'org_spent' }),
  scopeless: buildKey({ id: 'scopeless', form, scopes: [] }),
  good: buildKey({ id: 'good', form }),
});

for (const form of forms) {
  describe(`the order of checks in the ${form.name} form`, () => {
    for (const { fails, path = '/spikes', method, key, catalogue, quotas, keys: keyStore, answers } of rows) {
      it(`answers ${answers} when ${fails} fail`, async () => {
        const keys = createKeys(form.name);
        const gateway = await createTestGateway({
          keys:
            keyStore === 'dead' ? deadKeys : keySourceOf(Object.values(keys), {}, { id: 'org_spent', perMinute: 0 }),
          ...(catalogue === 'dead' && { source: deadCatalogue }),
          ...(quotas === 'dead' && { quotas: deadQuotas }),
        });
        const text = key === 'none' ? undefined : keys[key ?? 'good'].text;
        const reply = await gateway.send(`/api/v1${path}`, text, { method });
        const expected = formExpectations[key === 'none' || keyStore === 'dead' ? 'current' : form.name];
        const { status, code } = expected.errors[answers];
        expect(reply.status).to.equal(status);
        expect(expected.readError(reply.text).code).to.equal(code);
        await gateway.close();
      });
    }
  });
}
