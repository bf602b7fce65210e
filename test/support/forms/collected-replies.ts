import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import type { Artist } from '../../../src/domain/model.ts';
import { buildArtist, buildKey, keySourceOf } from '../builders.ts';
import { createTestGateway, type TestGateway } from '../gateway.ts';
import type { RawReply, RawRequest } from '../raw.ts';
import { createTestSource } from '../source.ts';
import { type ErrorName, formExpectations } from './form-expectations.ts';
import { keys } from './form-keys.ts';
import { problemCases } from './problem-cases.ts';

/** How a request ended: an error of the form's table, or one of the outcomes that the table does not have. */
export type Outcome = ErrorName | 'success' | 'not modified' | 'invalid' | 'too long';

/** A response, and what every response of its kind must satisfy. */
export interface CollectedReply {
  readonly name: string;
  readonly served: ComparedForm;
  readonly outcome: Outcome;
  /** Whether it has the `X-RateLimit-*` headers. */
  readonly hasQuotaHeaders: boolean;
  readonly reply: RawReply;
}

type Expected = Omit<CollectedReply, 'name' | 'reply'>;

/** The `X-Request-Id` that every collected request sends. */
export const claimedRequestId = '11111111-1111-4111-8111-111111111111';

/** An artist that no form can present. */
export const brokenArtist: Artist = {
  ...buildArtist(),
  get links(): never {
    throw new TypeError('links are broken');
  },
};

const tightKey = (form: ComparedForm) => buildKey({ form, perHour: 1 });

const openWithQuota = (perMinute: number, perDay: number): Promise<TestGateway> =>
  createTestGateway({ keys: keySourceOf([tightKey('current'), tightKey('variant')], { perMinute, perDay }) });

const tooLong = `/api/v1/artists?${'a'.repeat(2049)}`;

/** Collects one response of every kind that a form can give, and those of every route in every situation of `problemCases`. */
export const collectReplies = async (form: ComparedForm): Promise<readonly CollectedReply[]> => {
  const collected: CollectedReply[] = [];
  const key = keys[form].full.text;
  const collect = async (
    gateway: TestGateway,
    path: string,
    as: string | undefined,
    expected: Partial<Expected> & Pick<Expected, 'outcome'>,
    request: Omit<RawRequest, 'path'> = {},
  ): Promise<void> => {
    const reply = await gateway.send(path, as, {
      ...request,
      headers: { ...request.headers, 'X-Request-Id': claimedRequestId, Origin: 'https://elsewhere.example' },
    });
    const name = `${request.method ?? 'GET'} ${path.slice(0, 60)}: ${expected.outcome}`;
    collected.push({ name, served: form, hasQuotaHeaders: false, ...expected, reply });
  };

  const healthy = await createTestGateway();
  await collect(healthy, '/api/v1/health', key, { outcome: 'success' });
  for (const { path } of formExpectations[form].successes) {
    await collect(healthy, path, key, { outcome: 'success', hasQuotaHeaders: true });
  }
  await collect(healthy, '/api/v1/nothing', key, { outcome: 'notFound' });
  await collect(healthy, '/api/v1/signings', key, { outcome: 'method' }, { method: 'DELETE' });
  if (form === 'current') {
    await collect(healthy, tooLong, key, { outcome: 'too long' });
    await collect(healthy, '/api/v1/artists/nobody', key, { outcome: 'notFound', hasQuotaHeaders: true });
    await collect(healthy, '/api/v1/artists?limit=no', key, { outcome: 'invalid', hasQuotaHeaders: true });
    await collect(healthy, '/api/v1/artists?cursor=no', key, { outcome: 'invalid', hasQuotaHeaders: true });
    const known = { headers: { 'If-None-Match': '*' } };
    await collect(healthy, '/api/v1/artists', key, { outcome: 'not modified', hasQuotaHeaders: true }, known);
  } else {
    await collect(healthy, tooLong, key, { outcome: 'success', hasQuotaHeaders: true });
    await collect(healthy, '/api/v1/artists?id=nobody', key, { outcome: 'notFound', hasQuotaHeaders: true });
  }
  await healthy.close();

  for (const { open, key: textOf, error, served = form } of problemCases) {
    const gateway = await open();
    const hasQuotaHeaders = error === 'scope' && form === 'current';
    for (const { path, scope } of formExpectations[form].successes)
      await collect(gateway, path, textOf(form, scope), { outcome: error, served, hasQuotaHeaders });
    const healthKey = textOf(form, 'artists:read');
    await collect(gateway, '/api/v1/health', healthKey, { outcome: 'success', served });
    await gateway.close();
  }

  for (const outcome of form === 'current' ? (['windowSpent', 'daySpent'] as const) : (['windowSpent'] as const)) {
    const tight = outcome === 'windowSpent' ? await openWithQuota(1, 9) : await openWithQuota(9, 1);
    const { text } = tightKey(form);
    await tight.send('/api/v1/signings', text);
    await collect(tight, '/api/v1/signings', text, { outcome, hasQuotaHeaders: true });
    await tight.close();
  }

  const broken = await createTestGateway({ source: createTestSource({ artists: [brokenArtist] }) });
  await collect(broken, '/api/v1/artists', key, { outcome: 'bug' });
  await broken.close();
  return collected;
};
