import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import type { ComparedForm } from '../../src/crosswalk/forms.ts';
import { itemsIn } from '../support/forms/form-expectations.ts';
import { keySource, keys } from '../support/forms/form-keys.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { type BadQuery, badQueries } from '../support/http/bad-queries.ts';
import { openWire, type WireReply } from '../support/wire.ts';

const expectedStatus: Readonly<Record<ComparedForm, (row: BadQuery) => number>> = {
  current: ({ current }) => current,
  variant: ({ variant = 200 }) => variant,
};

const expectedItems: Readonly<Record<ComparedForm, (row: BadQuery) => number | undefined>> = {
  current: ({ items }) => items,
  variant: ({ variantItems }) => variantItems,
};

describe('bad queries', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await createTestGateway({ keys: keySource });
  });
  after(() => gateway.close());

  const ask = async (form: ComparedForm, target: string): Promise<WireReply> => {
    const wire = openWire(gateway.port);
    wire.send(`GET ${target} HTTP/1.1\r\nHost: gateway.test\r\n`);
    wire.send(`Authorization: Bearer ${keys[form].full.text}\r\n\r\n`);
    const reply = await wire.receive();
    wire.end();
    return reply;
  };

  for (const row of badQueries) {
    const { number, path = '/api/v1/artists', query, adjusted } = row;
    for (const { name: form } of forms) {
      const status = expectedStatus[form](row);
      it(`${number}: answers ?${query.slice(0, 60)} with ${status} in the ${form} form`, async () => {
        const target = `${path}?${query}`;
        const reply = await ask(form, target);
        assertValidResponse(reply, target);
        expect(reply.status, reply.text.slice(0, 300)).to.equal(status);
        const items = expectedItems[form](row);
        if (items !== undefined) expect(itemsIn(reply.text)).to.have.length(items);
        const isAdjusted = form === 'variant' && status !== 431;
        expect(reply.headers['x-params-adjusted']).to.equal(isAdjusted ? adjusted : undefined);
      });
    }
  }
});
