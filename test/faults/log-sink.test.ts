import { spawnSync } from 'node:child_process';
import { closeSync, constants, existsSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { createClient, type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';

const path = '/api/v1/health';

describe('a blocked log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'artist-gateway-log-'));
  const client = createClient();
  let operations: number;
  let gateway: GatewayProcess;
  after(() => {
    client.end();
    rmSync(folder, { recursive: true });
  });

  const start = async (stdout: number): Promise<void> => {
    operations = await freePort();
    const PORT = String(await freePort());
    gateway = await startGatewayProcess({ PORT, OPERATIONS_PORT: String(operations) }, { stdout });
  };
  const metric = async (name: string): Promise<number> => {
    const { body } = await client.get(`http://127.0.0.1:${operations}/metrics`);
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
  };
  /** Sends requests, 50 at a time. Returns how many got 200, and the longest time of one in milliseconds. */
  const send = async (count: number): Promise<{ served: number; slowest: number }> => {
    let [served, slowest, left] = [0, 0, count];
    const worker = async (): Promise<void> => {
      while (left-- > 0) {
        const { status, ms } = await gateway.get(path);
        if (status === 200) served += 1;
        slowest = Math.max(slowest, ms);
      }
    };
    await Promise.all(Array.from({ length: 50 }, worker));
    return { served, slowest };
  };

  it('delays no request, uses bounded memory and counts dropped lines; it continues when it is read again', async function () {
    this.timeout(60_000);
    const fifo = join(folder, 'stuck');
    expect(spawnSync('mkfifo', [fifo]).status).to.equal(0);
    const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(fifo, constants.O_WRONLY);
    await start(writer);
    closeSync(writer);
    const first = await send(9_000);
    expect(first.served).to.equal(9_000);
    const dropped = await metric('gateway_log_lines_dropped_total');
    const memory = await metric('process_resident_memory_bytes');
    const second = await send(6_000);
    const grown = (await metric('process_resident_memory_bytes')) - memory;
    console.log(
      `      15000 served, the slowest in ${Math.round(Math.max(first.slowest, second.slowest))} ms; ` +
        `${await metric('gateway_log_lines_dropped_total')} lines dropped; ${(grown / 2 ** 20).toFixed(1)} MB more`,
    );
    expect(second.served).to.equal(6_000);
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
    expect(lines.map((line) => JSON.parse(line).msg)).to.deep.equal(Array.from({ length: 10 }, () => 'request'));
    closeSync(reader);
    expect((await send(100)).served).to.equal(100); // the FIFO has no reader any more
    await gateway.stop();
    expect((await gateway.exit).code).to.equal(0);
  });

  it('does not delay the shutdown', async function () {
    this.timeout(30_000);
    const fifo = join(folder, 'ending');
    spawnSync('mkfifo', [fifo]);
    const both = openSync(fifo, constants.O_RDWR);
    await start(both);
    await send(2_000);
    const startedAt = performance.now();
    await gateway.stop();
    expect((await gateway.exit).code).to.equal(0);
    expect(performance.now() - startedAt).to.be.below(3_000);
    closeSync(both);
  });

  it('on a full disk drops lines and affects no request', async function () {
    if (!existsSync('/dev/full')) this.skip();
    const full = openSync('/dev/full', 'w');
    await start(full);
    closeSync(full);
    expect((await send(500)).served).to.equal(500);
    expect(await metric('gateway_log_lines_dropped_total')).to.be.at.least(500);
    await gateway.stop();
    expect((await gateway.exit).code).to.equal(0);
  });
});
