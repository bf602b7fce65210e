import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { describeFailure, isNetworkFailure, remedyFor } from '../../src/runtime/store-error.ts';

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

  it('names silence and a refused password in one way, whatever a driver calls them', () => {
    const silent = [
      "Socket timeout. Expecting data, but didn't receive any in 1000ms.",
      'Command timed out',
      'connection 2 to 127.0.0.1:27017 timed out',
    ];
    for (const text of silent) expect(describeFailure(new Error(text)), text).to.equal('no answer');
    const refused = [
      'WRONGPASS invalid username-password pair',
      'NOAUTH Authentication required.',
      'Authentication failed.',
    ];
    for (const text of refused) expect(describeFailure(new Error(text)), text).to.equal('user or password refused');
  });

  it('has advice of its own for a refused password, an untrusted certificate and a wrong host', () => {
    const advice = (error: Error): string => remedyFor(describeFailure(error), 'REDIS_URL');
    expect(advice(new Error('NOAUTH'))).to.equal('correct the user and the password in REDIS_URL');
    expect(advice(withCode('SELF_SIGNED_CERT_IN_CHAIN'))).to.match(/^set NODE_EXTRA_CA_CERTS to the file/);
    for (const code of ['ENOTFOUND', 'ERR_TLS_CERT_ALTNAME_INVALID'])
      expect(advice(withCode(code)), code).to.equal('correct the host in REDIS_URL');
    expect(advice(withCode('ECONNREFUSED'))).to.equal('start it, or correct REDIS_URL');
  });

  it('is its message on one line otherwise', () => {
    expect(describeFailure(new Error('bad\n  auth'))).to.equal('bad auth');
    expect(isNetworkFailure(new Error('bad auth'))).to.equal(false);
  });
});
