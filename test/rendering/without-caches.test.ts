import { expect } from 'chai';
import { type CacheName, cacheNames } from '../../src/runtime/memo.ts';
import { createTestGateway, fullKeys } from '../support/gateway.ts';

const questions = ['artists?limit=5', 'spikes?days=7', 'signings', 'artists/art_7rf1ly'];

/** The data of every answer, each asked for twice and the second time with gzip, and the caches that the gateway asked for. */
const askAll = async (isKept: boolean) => {
  const asked = new Set<CacheName>();
  const keeps = (name: CacheName): boolean => {
    asked.add(name);
    return isKept;
  };
  const { get, close } = await createTestGateway({ keeps });
  const answers: unknown[] = [];
  for (const path of questions)
    for (const encoding of ['identity', 'gzip'])
      for (const key of [fullKeys.current, fullKeys.variant]) {
        const { status, body } = await get(`/api/v1/${path}`, key, { 'Accept-Encoding': encoding });
        answers.push({ status, data: body.data ?? body.artists ?? body.spikes ?? body.signings });
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
