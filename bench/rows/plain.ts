import { join } from 'node:path';
import { ask, assertSame, bearer, type Recorded, writeAnswers } from '../answers.ts';
import type { Bench } from '../bench.ts';
import type { Subject } from '../load/compare.ts';
import { startPeer } from '../process/peer.ts';

/** A plain server that sends what the gateway was recorded to send, byte for byte, after one INCR. */
export const startPlain = async (
  { folder, redis }: Bench,
  name: string,
  key: string,
  recorded: readonly Recorded[],
): Promise<Subject> => {
  const answers = join(folder, `plain-${name}`);
  await writeAnswers(answers, recorded);
  const { url, port, pid } = await startPeer('plain', redis.url, answers);
  const askPlain = (index: number): Promise<Recorded> => ask(url, `/${index}.json`, bearer(key));
  await assertSame(recorded, askPlain, (ours, theirs) => ours.equals(theirs));
  const requests = recorded.map(({ body }, index) => ({
    path: `/${index}.json`,
    headers: bearer(key),
    status: 200,
    length: body.length,
  }));
  return { name: 'plain', port, pid, requests };
};

export const favoursPlain =
  'favours the plain server: one counter for two, no key, no parameters, no tag, no log, no metrics, one block of bytes';
