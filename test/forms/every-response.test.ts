import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { createManualClock } from '../support/clock.ts';
import { type CollectedReply, claimedRequestId, collectReplies } from '../support/forms/collected-replies.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { quotasOfXRateLimit, structuredQuotas } from '../support/forms/quota-headers.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const isError = ({ outcome }: CollectedReply): boolean => outcome !== 'success' && outcome !== 'not modified';

/** The paths of all null members of a JSON value. */
const nullsIn = (value: unknown, path = ''): string[] => {
  if (value === null) return [path];
  if (typeof value !== 'object' || value === undefined) return [];
  return Object.entries(value).flatMap(([name, member]) => nullsIn(member, `${path}/${name}`));
};

/** The tests' gateway holds each of them to the contract too: which headers and which body a status has. */
for (const form of forms) {
  describe(`every response of the ${form.name} form`, () => {
    let replies: readonly CollectedReply[];
    before(async () => {
      replies = await collectReplies(form.name);
    });

    const among = (which: (reply: CollectedReply) => boolean): readonly CollectedReply[] => {
      const chosen = replies.filter(which);
      expect(chosen, 'replies to check').not.to.deep.equal([]);
      return chosen;
    };

    it('names its form in X-Envelope-Served', () => {
      for (const { name, served, reply } of among(() => true)) {
        expect(reply.headers['x-envelope-served'], name).to.equal(served);
      }
    });

    it('has a new UUID in X-Request-Id, never the one the client sent', () => {
      const ids = among(() => true).map(({ reply }) => reply.headers['x-request-id']);
      for (const id of ids) expect(id).to.match(uuid).and.not.equal(claimedRequestId);
      expect(new Set(ids).size).to.equal(ids.length);
    });

    it('repeats X-Request-Id in the body where the form has request_id', () => {
      for (const { name, served, outcome, reply } of among(({ outcome }) => outcome !== 'not modified')) {
        const shown = served === 'current' && name !== 'GET /api/v1/health: success';
        const ids = /"request_id":"([^"]*)"/.exec(reply.text);
        expect(ids?.[1], `${name} ${outcome}`).to.equal(shown ? reply.headers['x-request-id'] : undefined);
      }
    });

    it('has Vary, nosniff and Content-Type', () => {
      for (const { name, reply, served, hasQuotaHeaders } of among(() => true)) {
        const mayBeEncoded = served === 'current' && hasQuotaHeaders && reply.status < 400;
        const vary = `Authorization, X-Envelope${mayBeEncoded ? ', Accept-Encoding' : ''}`;
        expect(reply.headers['vary'], name).to.equal(vary);
        expect(reply.headers['x-content-type-options'], name).to.equal('nosniff');
        const type = reply.status === 304 ? undefined : 'application/json; charset=utf-8';
        expect(reply.headers['content-type'], name).to.equal(type);
      }
    });

    it('has `Cache-Control: private, no-cache` on 200 and 304 of routes that need a key, and `no-store` otherwise', () => {
      for (const { name, reply, hasQuotaHeaders } of among(() => true)) {
        const isAnswer = hasQuotaHeaders && (reply.status === 200 || reply.status === 304);
        expect(reply.headers['cache-control'], name).to.equal(isAnswer ? 'private, no-cache' : 'no-store');
      }
    });

    it('has no header that identifies the server, sets a cookie or allows other origins', () => {
      for (const { name, reply } of among(() => true)) {
        expect(Object.keys(reply.headers).join(), name).not.to.match(/server|powered|cookie|access-control/);
      }
    });

    it('has the status of the form’s table, and with an error its body and code', () => {
      for (const { name, served, outcome, reply } of among(() => true)) {
        if (outcome === 'success' || outcome === 'not modified') {
          expect(reply.status, name).to.equal(outcome === 'success' ? 200 : 304);
          continue;
        }
        const { code, message } = formExpectations[served].readError(reply.text);
        expect(message, name).to.match(/^[A-Za-z].*\.$/);
        if (outcome === 'too long')
          expect([reply.status, code]).to.deep.equal([431, 'request_header_fields_too_large']);
        else if (outcome === 'invalid') expect([reply.status, code.slice(0, 8)]).to.deep.equal([400, 'invalid_']);
        else expect({ status: reply.status, code }, name).to.deep.equal(formExpectations[served].errors[outcome]);
      }
    });

    it('with an error reveals no cause, stack or key', () => {
      for (const { name, reply } of among(isError)) {
        expect(reply.text, name).not.to.match(/store is down|links are broken|:\d+:\d+|aik_|Error/);
      }
    });

    it('has no null except next_cursor of the current form', () => {
      for (const { name, reply } of among(({ outcome }) => outcome !== 'not modified')) {
        const allowed = form.name === 'current' ? ['/meta/next_cursor'] : [];
        expect(allowed, name).to.include.members(nullsIn(JSON.parse(reply.text)));
      }
    });

    it('has Allow exactly on 405', () => {
      for (const { name, reply } of among(() => true)) {
        expect(reply.headers['allow'], name).to.equal(reply.status === 405 ? 'GET' : undefined);
      }
    });

    it('has Retry-After exactly on quota and availability errors', () => {
      const waiting = ['windowSpent', 'daySpent', 'unavailable'];
      for (const { name, outcome, reply } of among(() => true)) {
        if (waiting.includes(outcome)) expect(reply.headers['retry-after'], name).to.match(/^[1-9]\d*$/);
        else expect(reply.headers, name).not.to.have.property('retry-after');
      }
    });

    it('has X-RateLimit headers exactly when it was counted or refused by a quota', () => {
      const prefixes = form.name === 'current' ? ['x-ratelimit', 'x-ratelimit-day'] : ['x-ratelimit'];
      const expected = prefixes.flatMap((prefix) => ['limit', 'remaining', 'reset'].map((name) => `${prefix}-${name}`));
      for (const { name, hasQuotaHeaders, reply } of among(() => true)) {
        const found = Object.keys(reply.headers).filter((header) => header.startsWith('x-ratelimit'));
        expect(found, name).to.have.members(hasQuotaHeaders ? expected : []);
        for (const header of found) expect(reply.headers[header], name).to.match(/^\d+$/);
      }
    });

    it('has RateLimit fields exactly beside X-RateLimit headers of the current form, with the same numbers', () => {
      for (const { name, served, hasQuotaHeaders, reply } of among(() => true)) {
        const expected = hasQuotaHeaders && served === 'current';
        expect(reply.headers['ratelimit-policy'] !== undefined, name).to.equal(expected);
        expect(reply.headers['ratelimit'] !== undefined, name).to.equal(expected);
        if (expected)
          expect(structuredQuotas(reply), name).to.deep.equal(quotasOfXRateLimit(reply, createManualClock().now()));
      }
    });
  });
}
