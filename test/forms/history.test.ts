import { expect } from 'chai';
import { createManualClock } from '../support/clock.ts';
import { openSmallGateway, viewers } from '../support/forms/small-shortlist.ts';
import { useGateway } from '../support/gateway.ts';

describe('history while its store is down', () => {
  const read = async (): Promise<never> => {
    throw new Error('store is down');
  };
  const gateway = useGateway(() => openSmallGateway(undefined, createManualClock(), { read }));

  it('does not affect other answers', async () => {
    const others = [
      '/artists',
      '/artists?id=ada',
      '/added',
      '/spikes',
      '/signings',
      '/artists?include=history&id=nobody',
    ];
    for (const path of others) {
      expect((await gateway.send(`/api/v1${path}`, viewers.all.text)).status, path).to.equal(200);
    }
  });

  it('logs the cause and does not send it', async () => {
    const reply = await gateway.send('/api/v1/artists/ada', viewers.all.text);
    expect(reply.text).not.to.include('store is down');
    const failed = gateway.log.entries.filter(({ event }) => event === 'request failed');
    const causes = failed.map(({ facts }) => 'err' in facts && facts.err instanceof Error && facts.err.cause);
    expect(causes.at(-1)).to.be.instanceOf(Error).with.property('message', 'store is down');
  });
});
