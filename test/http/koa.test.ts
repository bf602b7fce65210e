import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';

describe('Koa', () => {
  it('serves a request through its private method handleRequest, which adapters/http/app.ts overrides', async () => {
    let calls = 0;
    class Counting extends Koa {
      handleRequest(): Promise<void> {
        calls += 1;
        return Promise.resolve();
      }
    }
    const request = new IncomingMessage(new Socket());
    await new Counting().callback()(request, new ServerResponse(request));
    expect(Koa.prototype).to.have.property('handleRequest');
    expect(calls).to.equal(1);
  });
});
