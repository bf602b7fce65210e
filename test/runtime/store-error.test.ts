import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { describeFailure, isNetworkFailure } from '../../src/runtime/store-error.ts';

const withCode = (code: string, members: object = {}): Error => Object.assign(new Error(code), { code, ...members });

describe('the failure of a store', () => {
  it('names the address and the cause in words for a refused connection', async () => {
    const refused: unknown = await once(connect(1, '127.0.0.1'), 'connect').catch((error: unknown) => error);
    expect(describeFailure(refused)).to.equal('connection refused (127.0.0.1:1)');
    expect(describeFailure(new Error('in a driver', { cause: refused }))).to.equal('connection refused (127.0.0.1:1)');
    expect(describeFailure(new AggregateError([refused], ''))).to.equal('connection refused (127.0.0.1:1)');
    expect(isNetworkFailure(refused)).to.equal(true);
  });

  it('names the host and the cause in words for an unknown host', async () => {
    const unknown: unknown = await lookup('nowhere.invalid').catch((error: unknown) => error);
    expect(describeFailure(unknown)).to.match(/^(unknown host|the name server does not answer) \(nowhere\.invalid\)$/);
  });

  it('names the cause in words for TLS and for silence', () => {
    expect(describeFailure(withCode('CERT_HAS_EXPIRED'))).to.equal('its certificate has expired');
    expect(describeFailure(withCode('DEPTH_ZERO_SELF_SIGNED_CERT'))).to.equal('its certificate is not trusted');
    expect(describeFailure(withCode('ETIMEDOUT'))).to.equal('no answer');
  });

  it('is its message on one line otherwise', () => {
    expect(describeFailure(new Error('bad\n  auth'))).to.equal('bad auth');
    expect(isNetworkFailure(new Error('bad auth'))).to.equal(false);
  });
});
