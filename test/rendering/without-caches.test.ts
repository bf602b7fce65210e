import { expect } from 'chai';
import { type CacheName, cacheNames } from '../../src/runtime/memo.ts';
import { createTestGateway, fullKeys } from '../support/gateway.ts';

const lists = ['artists?limit=5', 'spikes?days=7', 'signings'];
const questions = (['current', 'variant'] as const).flatMap((form) =>
  [...lists, form === 'current' ? 'artists/art_7rf1ly' : 'artists?id=66a18b869b2e81c0c529552a'].map(
    (path) => [fullKeys[form].text, path] as const,
  ),
);

/** The data of every answer, each asked for twice and the second time with gzip, and the caches that the gateway asked for. */
const askAll = async (isKept: boolean) => {
  const asked = new Set<CacheName>();
  const keeps = (name: CacheName): boolean => {
    asked.add(name);
    return isKept;
  };
  const { get, close } = await createTestGateway({ keeps });
  const answers: unknown[] = [];
  for (const [key, path] of questions)
    for (const encoding of ['identity', 'gzip']) {
      const { status, body } = await get(`/api/v1/${path}`, key, { 'Accept-Encoding': encoding });
      expect(status, path).to.equal(200);
      answers.push({ ...body, meta: undefined, generated_at: undefined, request_id: undefined });
    }
  await close();
  return { answers, asked };
};

describe('a gateway without its caches', () => {
  it('answers the same as with them, and has none but those with a name', async () => {
    const [without, kept] = [await askAll(false), await askAll(true)];
    expect(without.answers).to.deep.equal(kept.answers);
    expect([...without.asked].sort()).to.deep.equal([...cacheNames].sort());
  });
});
