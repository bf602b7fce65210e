import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { describeFailure, isNetworkFailure, remedyFor } from '../../src/runtime/store-error.ts';

const withCode = (code: string, members: object = {}): Error =>
  Object.assign(new Error(code), { code, ...members });

describe('the failure of a store', () => {
  it('names the address and the cause in words for a refused connection', async () => {
    const refused: unknown = await once(connect(1, '127.0.0.1'), 'connect').catch(
      (error: unknown) => error,
    );
    expect(describeFailure(refused)).to.equal('connection refused (127.0.0.1:1)');
    expect(describeFailure(new Error('in a driver', { cause: refused }))).to.equal(
      'connection refused (127.0.0.1:1)',
    );
    expect(describeFailure(new AggregateError([refused], ''))).to.equal(
      'connection refused (127.0.0.1:1)',
    );
    expect([refused, new Error('bad auth')].map(isNetworkFailure)).to.deep.equal([true, false]);
  });

  it('names the host and the cause in words for an unknown host', async () => {
    const unknown: unknown = await lookup('nowhere.invalid').catch((error: unknown) => error);
    expect(describeFailure(unknown)).to.match(
      /^(unknown host|the name server does not answer) \(nowhere\.invalid\)$/,
    );
  });

  for (const [error, words] of [
    [withCode('CERT_HAS_EXPIRED'), 'its certificate has expired'],
    [withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'its certificate is not trusted'],
    [withCode('CERT_SIGNATURE_FAILURE'), 'its certificate is not trusted'],
    [withCode('ETIMEDOUT'), 'no answer'],
    [new Error("Socket timeout. Expecting data, but didn't receive any in 1000ms."), 'no answer'],
    [new Error('Command timed out'), 'no answer'],
    [new Error('connection 2 to 127.0.0.1:27017 timed out'), 'no answer'],
    [new Error('connection 2 to 127.0.0.1:27017 closed'), 'connection lost'],
    [
      new Error(
        'pool cleared because another operation failed with: "connection 2 to [::1]:27017 closed"',
      ),
      'connection lost',
    ],
    [new Error('WRONGPASS invalid username-password pair'), 'user or password refused'],
    [new Error('NOAUTH Authentication required.'), 'user or password refused'],
    [new Error('Authentication failed.'), 'user or password refused'],
    [new Error('bad\n  auth'), 'bad auth'],
  ] as const) {
    it(`is "${words}" for ${JSON.stringify(error.message)}`, () => {
      expect(describeFailure(error)).to.equal(words);
    });
  }

  it('has advice of its own for a refused password, an untrusted certificate and a wrong host', () => {
    const advice = (error: Error): string => remedyFor(describeFailure(error), 'REDIS_URL');
    expect(advice(new Error('NOAUTH'))).to.equal('correct the user and the password in REDIS_URL');
    expect(advice(withCode('SELF_SIGNED_CERT_IN_CHAIN'))).to.match(
      /^set NODE_EXTRA_CA_CERTS to the file/,
    );
    for (const code of ['ENOTFOUND', 'ERR_TLS_CERT_ALTNAME_INVALID'])
      expect(advice(withCode(code)), code).to.equal('correct the host in REDIS_URL');
    expect(advice(withCode('ECONNREFUSED'))).to.equal('start it, or correct REDIS_URL');
  });
});
