import type { z } from 'zod';
import { healthWire } from '../../../adapters/forms/current/wire.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import type { Artist } from '../../../src/domain/model.ts';
import { buildArtist, buildKey, buildOrganization } from '../builders.ts';
import { createTestGateway, type TestGateway } from '../gateway.ts';
import type { RawReply, RawRequest } from '../raw.ts';
import { createTestSource } from '../source.ts';
import { formFacts, type RefusalName } from './expected-errors.ts';
import { keySource, keys } from './form-keys.ts';
import { problemCases } from './problem-cases.ts';

/** What a request came to: a refusal, or what the tables of errors do not name. */
export type Outcome = RefusalName | 'success' | 'not modified' | 'invalid' | 'too long';

/** A response, and what the law expects of it. */
export interface Kept {
  readonly name: string;
  readonly served: FormName;
  readonly outcome: Outcome;
  /** Whether it tells how the quota stands. */
  readonly tellsQuota: boolean;
  /** Of a success. */
  readonly schema?: z.ZodType | undefined;
  readonly reply: RawReply;
}

type Expected = Omit<Kept, 'name' | 'reply'>;

/** What every client of this collection claims its request id is. */
export const claimedRequestId = '11111111-1111-4111-8111-111111111111';

/** An artist that no form can present. */
export const brokenArtist: Artist = {
  ...buildArtist(),
  get links(): never {
    throw new TypeError('links are broken');
  },
};

const tightKey = (form: FormName) => buildKey({ form, perHour: 1 });

const openTight = (perMinute: number, perDay: number): Promise<TestGateway> =>
  createTestGateway({
    keys: {
      load: async () => ({
        keys: [tightKey('current').record, tightKey('variant').record],
        organizations: [buildOrganization({ perMinute, perDay })],
      }),
    },
  });

const tooLong = `/api/v1/artists?${'a'.repeat(2049)}`;

/** One response of every kind that a form can give. */
export const collectReplies = async (form: FormName): Promise<readonly Kept[]> => {
  const kept: Kept[] = [];
  const key = keys[form].full.text;
  const keep = async (
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
    kept.push({ name, served: form, tellsQuota: false, ...expected, reply });
  };

  const healthy = await createTestGateway({ keys: keySource });
  await keep(healthy, '/api/v1/health', key, { outcome: 'success', schema: healthWire });
  for (const { path, schema } of formFacts[form].readings) {
    await keep(healthy, path, key, { outcome: 'success', schema, tellsQuota: true });
  }
  await keep(healthy, '/api/v1/nothing', key, { outcome: 'notFound' });
  await keep(healthy, '/api/v1/signings', key, { outcome: 'method' }, { method: 'DELETE' });
  await keep(healthy, tooLong, key, { outcome: 'too long', served: 'current' });
  if (form === 'current') {
    await keep(healthy, '/api/v1/artists/nobody', key, { outcome: 'notFound', tellsQuota: true });
    await keep(healthy, '/api/v1/artists?limit=no', key, { outcome: 'invalid', tellsQuota: true });
    await keep(healthy, '/api/v1/artists?cursor=no', key, { outcome: 'invalid', tellsQuota: true });
    const known = { headers: { 'If-None-Match': '*' } };
    await keep(healthy, '/api/v1/artists', key, { outcome: 'not modified', tellsQuota: true }, known);
  } else {
    await keep(healthy, '/api/v1/artists?id=nobody', key, { outcome: 'notFound', tellsQuota: true });
  }
  await healthy.close();

  for (const { open, key: textOf, refusal, served = form } of problemCases) {
    const gateway = await open();
    const tellsQuota = refusal === 'scope' && form === 'current';
    await keep(gateway, '/api/v1/spikes', textOf(form, 'spikes:read'), { outcome: refusal, served, tellsQuota });
    await gateway.close();
  }

  for (const outcome of form === 'current' ? (['windowSpent', 'daySpent'] as const) : (['windowSpent'] as const)) {
    const tight = outcome === 'windowSpent' ? await openTight(1, 9) : await openTight(9, 1);
    const { text } = tightKey(form);
    await tight.send('/api/v1/signings', text);
    await keep(tight, '/api/v1/signings', text, { outcome, tellsQuota: true });
    await tight.close();
  }

  const broken = await createTestGateway({ keys: keySource, source: createTestSource({ artists: [brokenArtist] }) });
  await keep(broken, '/api/v1/artists', key, { outcome: 'bug' });
  await broken.close();
  return kept;
};
