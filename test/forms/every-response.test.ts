import { expect } from 'chai';
import type { Form, ProblemEntry } from '../../adapters/forms/form.ts';
import { forms } from '../../adapters/forms/forms.ts';
import type { UsageEvent } from '../../src/usage/counter.ts';
import type { ComparedForm } from '../../tools/migration/mapping/forms.ts';
import { requestId } from '../support/exchanges.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keys } from '../support/forms/form-keys.ts';
import { clientText, type ExpectedRequest, situationsOf } from '../support/forms/situations.ts';
import type { TestGateway } from '../support/gateway.ts';
import type { LogEntry } from '../support/log.ts';
import type { RawReply } from '../support/raw.ts';
import { until } from '../support/wait.ts';

/** A response, and its traces in the gateway. */
interface CollectedReply extends ExpectedRequest {
  readonly name: string;
  readonly reply: RawReply;
  readonly log: readonly LogEntry[];
  readonly usage: readonly UsageEvent[];
  /** Units of each window of the key's form, shortest first. */
  readonly units: readonly number[];
  readonly kinds: readonly string[];
}

/** The forms of the product; `read` gets each kind of problem whose status and code are read. */
const formsWith = (read: (kind: string) => void) => {
  const watched = (form: Form): Form => ({
    ...form,
    problems: new Proxy(form.problems, {
      get(problems, kind, receiver) {
        read(String(kind));
        return Reflect.get(problems, kind, receiver);
      },
    }),
  });
  const [first, ...others] = forms;
  return [watched(first), ...others.map(watched)] as const;
};

/** The used units of each window; 0 if the quota store is down. */
const unitsUsed = (
  { gateway }: TestGateway,
  served: ComparedForm,
  { key = keys[served].full }: ExpectedRequest,
) => {
  const { id, organizationId, form } = key.record;
  const windows = form === 'current' ? (['minute', 'day'] as const) : (['hour'] as const);
  const subject = form === 'current' ? `organization:${organizationId}` : `key:${id}`;
  const limit = Number.MAX_SAFE_INTEGER;
  return Promise.all(
    windows.map((window) =>
      gateway.quotas.read({ window, limit, subject }, Number.POSITIVE_INFINITY).then(
        ({ used }) => used,
        () => 0,
      ),
    ),
  );
};

/** Sends the requests of every situation of a form. */
const collectReplies = async (form: ComparedForm): Promise<readonly CollectedReply[]> => {
  const collected: CollectedReply[] = [];
  for (const { open, requests } of situationsOf(form)) {
    const usage: UsageEvent[] = [];
    let kinds: string[] = [];
    const gateway = await open({
      usage: { count: (event) => void usage.push(event) },
      forms: formsWith((kind) => kinds.push(kind)),
    });
    const { entries } = gateway.log;
    for (const request of requests) {
      const { method, path, key, text = key?.text, outcome } = request;
      const before = {
        units: await unitsUsed(gateway, form, request),
        lines: entries.length,
        events: usage.length,
      };
      const headers = {
        ...request.headers,
        'X-Request-Id': clientText,
        'User-Agent': clientText,
        Origin: 'https://a.test',
      };
      kinds = [];
      const reply = await gateway.send(path, text === '' ? undefined : text, { method, headers });
      await until('it is logged', () =>
        entries.slice(before.lines).some(({ event }) => event === 'request'),
      );
      collected.push({
        ...request,
        name: `${method ?? 'GET'} ${path.slice(0, 60)}: ${outcome}`,
        reply,
        log: entries.slice(before.lines),
        usage: usage.slice(before.events),
        kinds,
        units: (await unitsUsed(gateway, form, request)).map(
          (used, index) => used - (before.units[index] ?? 0),
        ),
      });
    }
    await gateway.close();
  }
  return collected;
};

/** The template of the path, unless the query is too long for the form to look. */
const routeOf = ({ served, outcome, path }: CollectedReply): string | undefined => {
  const template = path.replace(/\?.*/, '').replace(/(artists)\/.+/, '$1/:id');
  return outcome === 'too long'
    ? undefined
    : formExpectations[served].routes.find((route) => route === template);
};

const isData = ({ outcome }: CollectedReply): boolean =>
  outcome === 'success' || outcome === 'not modified';

/** What a form tells of a known key; all keys with notices have these. */
const noticesOf = ({ served, key }: CollectedReply): Readonly<Record<string, string>> => {
  if (key?.record.sunset === undefined) return {};
  if (served === 'current') return { 'x-key-expires': 'Wed, 30 Jun 2027 12:00:00 GMT' };
  const link = '</docs/migration>; rel="deprecation", </docs/migration>; rel="sunset"';
  return { deprecation: '@1782820800', sunset: 'Wed, 30 Jun 2027 00:00:00 GMT', link };
};

/**
 * The test gateway holds each to the contract of its form: which headers it has and no other, and
 * which members may be null.
 */
for (const form of forms) {
  describe(`every response of the ${form.name} form`, () => {
    let replies: readonly CollectedReply[];
    before(async () => {
      replies = await collectReplies(form.name);
    });

    it('has the status, body and code of the form’s table', () => {
      for (const { name, path, served, outcome, reply } of replies) {
        expect(reply.text === '', name).to.equal(outcome === 'not modified');
        if (outcome === 'success' || outcome === 'not modified') {
          expect(reply.status, name).to.equal(outcome === 'success' ? 200 : 304);
          continue;
        }
        const { code, message } = formExpectations[served].readError(reply.text);
        expect(message, name).to.match(/^[A-Za-z].*\.$/);
        const invalid = {
          status: 400,
          code: path.includes('cursor') ? 'invalid_cursor' : 'invalid_parameter',
        };
        const tooLong = { status: 431, code: 'request_header_fields_too_large' };
        const table = { ...formExpectations[served].errors, invalid, 'too long': tooLong };
        expect({ status: reply.status, code }, name).to.deep.equal(table[outcome]);
        if (outcome === 'scope')
          expect(message, name).to.include(
            `${/spikes|signings/.exec(path)?.[0] ?? 'artists'}:read`,
          );
      }
    });

    it('has a request for each documented kind of problem', () => {
      const raised = replies.flatMap(({ served, kinds }) => (served === form.name ? kinds : []));
      const documented = Object.entries<ProblemEntry>(form.problems)
        .filter(([, { text }]) => text !== undefined)
        .map(([kind]) => kind);
      expect(raised, 'requests in test/support/forms/situations.ts').to.include.members(documented);
    });

    it('has headers for its form, caching and the notices of its key', () => {
      for (const request of replies) {
        const { name, served, quota, reply } = request;
        const isAnswer = quota !== undefined && isData(request);
        expect(reply.headers, name).to.deep.include({
          'x-envelope-served': served,
          ...noticesOf(request),
          vary: `Authorization, X-Envelope${isAnswer && served === 'current' ? ', Accept-Encoding' : ''}`,
          'cache-control': isAnswer ? 'private, no-cache' : 'no-store',
          ...(reply.status === 304 ? {} : { 'content-type': 'application/json; charset=utf-8' }),
        });
        expect(reply.headers['retry-after'] ?? '1', name).to.match(/^[1-9]\d*$/);
      }
    });

    it('has a new UUID in X-Request-Id, repeated in request_id, never the client’s', () => {
      const ids = replies.map(({ reply }) => reply.headers['x-request-id']);
      for (const id of ids) expect(id).to.match(requestId).and.not.equal(clientText);
      expect(new Set(ids).size).to.equal(ids.length);
      for (const { name, served, path, outcome, reply } of replies.filter(
        ({ reply }) => reply.text !== '',
      )) {
        const isShown =
          served === 'current' && !(outcome === 'success' && path.startsWith('/api/v1/health'));
        const [, shown] = /"request_id":"([^"]*)"/.exec(reply.text) ?? [];
        expect(shown, name).to.equal(isShown ? reply.headers['x-request-id'] : undefined);
      }
    });

    it('reveals no cause, stack or key in an error', () => {
      for (const { name, reply } of replies.filter((request) => !isData(request)))
        expect(reply.text, name).not.to.match(/store is down|links are broken|:\d+:\d+|aik_|Error/);
    });

    it('uses one unit of every window of its key’s form if it is counted', () => {
      for (const { name, quota, units } of replies)
        expect(units, name).to.deep.equal(units.map(() => (quota === 'granted' ? 1 : 0)));
    });

    it('logs one line, with its X-Request-Id and without input of the client', () => {
      for (const request of replies) {
        const { name, key, served: servedForm, reply, isAdjusted = false, log, usage } = request;
        const lines = log.filter(({ event }) => event === 'request');
        expect(lines, name).to.have.length(1);
        expect(lines[0]?.facts, name).to.deep.include({
          requestId: reply.headers['x-request-id'],
          key: key?.record.id,
          organization: key?.record.organizationId,
          form: servedForm,
          route: routeOf(request),
          status: reply.status,
          adjusted: isAdjusted,
        });
        expect(lines[0]?.facts).to.have.property('ms').that.is.a('number');
        expect(JSON.stringify([log, usage]), name).not.to.match(
          new RegExp(`${clientText}|aik_|Bearer`),
        );
      }
    });

    it('is counted as usage of its key if the key is known', () => {
      for (const request of replies) {
        const { name, key, served: servedForm, reply, quota, usage } = request;
        const { id: keyId, organizationId } = key?.record ?? {};
        const event = {
          keyId,
          organizationId,
          form: servedForm,
          route: routeOf(request),
          status: reply.status,
          quota,
        };
        const counted = usage.map(({ ms: _ms, uses: _uses, ...rest }) => rest);
        expect(counted, name).to.deep.equal(key === undefined ? [] : [event]);
      }
    });
  });
}
