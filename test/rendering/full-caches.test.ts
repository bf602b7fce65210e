import { expect } from 'chai';
import { createTestGateway, fullKeys, type TestGateway } from '../support/gateway.ts';

const lists = ['artists?limit=5', 'spikes?days=7', 'signings'];
const questions = (['current', 'variant'] as const).flatMap((form) =>
  [...lists, form === 'current' ? 'artists/art_7rf1ly' : 'artists?id=66a18b869b2e81c0c529552a'].map(
    (path) => [fullKeys[form].text, path] as const,
  ),
);

/** The data of every answer, each asked for twice and the second time with gzip. */
const askAll = async (open: () => Promise<TestGateway>): Promise<readonly unknown[]> => {
  const answers: unknown[] = [];
  for (const [key, path] of questions)
    for (const encoding of ['identity', 'gzip']) {
      const { get, close } = await open();
      const { status, body } = await get(`/api/v1/${path}`, key, { 'Accept-Encoding': encoding });
      expect(status, path).to.equal(200);
      answers.push({ ...body, meta: undefined, generated_at: undefined, request_id: undefined });
      await close();
    }
  return answers;
};

describe('a gateway whose caches are full', () => {
  it('answers the same as one that was not asked before', async () => {
    const { close, ...full } = await createTestGateway();
    const open = async () => ({ ...full, close: async () => {} });
    await askAll(open);
    expect(await askAll(open)).to.deep.equal(await askAll(createTestGateway));
    await close();
  });
});
