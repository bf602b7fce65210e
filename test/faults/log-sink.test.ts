import { spawnSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';

const path = '/api/v1/health';

describe('a blocked log', () => {
  const folder = useInputFolder();
  let gateway: GatewayProcess;

  const start = async (stdout: number): Promise<void> => {
    gateway = await startGatewayProcess(
      { PORT: String(await freePort()), OPERATIONS_PORT: 'free' },
      { stdout },
    );
  };
  /** Sends requests, 50 at a time. Returns how many got 200. */
  const send = async (count: number): Promise<number> => {
    let [served, left] = [0, count];
    const worker = async (): Promise<void> => {
      while (left-- > 0) {
        if ((await gateway.get(path)).status === 200) served += 1;
      }
    };
    await Promise.all(Array.from({ length: 50 }, worker));
    return served;
  };

  it('delays no request, uses bounded memory, and continues when it is read again', async () => {
    const fifo = join(folder.path, 'stuck');
    expect(spawnSync('mkfifo', [fifo]).status).to.equal(0);
    const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(fifo, constants.O_WRONLY);
    await start(writer);
    closeSync(writer);
    expect(await send(8_000)).to.equal(8_000);
    const dropped = await gateway.metric('gateway_log_lines_dropped_total');
    const memory = await gateway.metric('process_resident_memory_bytes');
    expect(await send(4_000)).to.equal(4_000);
    const grown = (await gateway.metric('process_resident_memory_bytes')) - memory;
    expect(dropped).to.be.greaterThan(1_000);
    expect(grown).to.be.below(60 * 2 ** 20);

    const buffer = Buffer.alloc(2 ** 16);
    const drain = async (): Promise<string> => {
      let text = '';
      for (let idle = 0; idle < 10; ) {
        try {
          text += buffer.toString('utf8', 0, readSync(reader, buffer));
          idle = 0;
        } catch {
          idle += 1; // EAGAIN: nothing to read yet
          await wait(20);
        }
      }
      return text;
    };
    await drain();
    await send(10);
    const lines = (await drain()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg)).to.deep.equal(
      Array.from({ length: 10 }, () => 'request'),
    );
    closeSync(reader);
    expect(await send(100)).to.equal(100); // the FIFO has no reader any more
    await gateway.stop();
    expect((await gateway.exit).code).to.equal(0);
  });

  it('does not keep the gateway from exiting with 0', async () => {
    const fifo = join(folder.path, 'ending');
    spawnSync('mkfifo', [fifo]);
    const both = openSync(fifo, constants.O_RDWR);
    await start(both);
    await send(2_000);
    await gateway.stop();
    expect((await gateway.exit).code).to.equal(0);
    closeSync(both);
  });

  it('drops lines and affects no request on a full disk', async function () {
    if (!existsSync('/dev/full')) this.skip();
    const full = openSync('/dev/full', 'w');
    await start(full);
    closeSync(full);
    expect(await send(500)).to.equal(500);
    expect(await gateway.metric('gateway_log_lines_dropped_total')).to.be.at.least(500);
    await gateway.stop();
    expect((await gateway.exit).code).to.equal(0);
  });
});
