import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { mock } from 'node:test';
import { setImmediate as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { type GatewayLog, type LogStream, openLog } from '../../adapters/telemetry/log.ts';
import { Problem } from '../../src/domain/problem.ts';
import { useCleanup } from '../support/cleanup.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { keys } from '../support/forms/form-keys.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';

/** A stream that records its lines, or never finishes a write when `isStuck`. */
const createStream = ({ isStuck = false } = {}) => {
  const lines: string[] = [];
  const stream: LogStream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      if (isStuck) return;
      // a flush writes an empty text and waits for its callback
      if (text !== '') lines.push(...text.split(/(?<=\n)/));
      done();
    },
  });
  return { stream, lines };
};

/** Milliseconds that a flush to a working stream never takes. */
const flushTimeoutMs = 1_000;

const uuid = /^[0-9a-f-]{36}$/;

describe('written log', () => {
  const cleanup = useCleanup(after);
  let gateway: TestGateway;
  let log: GatewayLog;
  const { stream, lines } = createStream();
  before(async () => {
    log = await openLog('info', stream);
    gateway = cleanup.add(await createTestGateway({ log }), ({ close }) => close());
  });
  beforeEach(() => {
    lines.length = 0;
  });

  it('has one JSON line per request', async () => {
    const { full } = keys.variant;
    const { text } = await gateway.send('/api/v1/artists?limit=999&x=y', full.text);
    await log.flush(flushTimeoutMs);
    expect(lines).to.have.length(1);
    const { time, requestId, ms, ...members } = JSON.parse(lines[0] ?? '');
    expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(requestId).to.match(uuid);
    expect(ms).to.be.a('number');
    expect(members).to.deep.equal({
      level: 'info',
      key: full.record.id,
      organization: 'org_test',
      form: 'variant',
      route: '/api/v1/artists',
      status: 200,
      bytes: Buffer.byteLength(text),
      adjusted: true,
      msg: 'request',
    });
    expect(lines[0]).to.match(
      /^\{"level":"info","time":"[^"]+","requestId":.*,"adjusted":true,"msg":"request"\}\n$/,
    );
  });

  it('has the code of the problem that a response reports', async () => {
    await gateway.send('/api/v1/artists?limit=no', keys.current.full.text);
    await gateway.send('/api/v1/spikes', keys.current.noSpikes.text);
    await gateway.send(`/api/v1/spikes?${'x'.repeat(2_049)}`, keys.current.full.text);
    await log.flush(flushTimeoutMs);
    expect(lines.map((line) => JSON.parse(line).code)).to.deep.equal([
      'invalid_parameter',
      'insufficient_scope',
      'request_header_fields_too_large',
    ]);
  });

  it('contains the parser error code of a rejected request, and 0 bytes for HEAD', async () => {
    await gateway.send('/api/v1/health', undefined, { method: 'HEAD' });
    await gateway.send('/api/v1/health', undefined, { headers: { 'X-Long': 'x'.repeat(17_000) } });
    await log.flush(flushTimeoutMs);
    const [head, long] = lines.map((line) => JSON.parse(line));
    expect(head).to.include({ status: 405, bytes: 0 });
    expect(long).to.include({ status: 431, reason: 'HPE_HEADER_OVERFLOW', form: 'current' });
    expect(long).not.to.have.property('key');
  });

  it('is searched for one request by the recipe of the operator’s guide', async () => {
    const guide = readFileSync('docs/operating.md', 'utf8');
    const [command = '', id = '', file = ''] = /^jq .* --arg id (\S+) (\S+)$/m.exec(guide) ?? [];
    const ids: string[] = [];
    for (const path of ['artists?limit=1', 'signings', 'spikes']) {
      const { headers } = await gateway.send(`/api/v1/${path}`, keys.current.full.text);
      ids.push(String(headers['x-request-id']));
    }
    log.info({ url: gateway.port }, 'listening');
    await log.flush(flushTimeoutMs);
    const folder = await cleanup.makeFolder('log');
    await writeFile(join(folder, file), lines.join(''));
    const found = await runProgram('sh', ['-c', command.replace(id, ids[1] ?? '')], folder);
    expect(found.trim().split('\n')).to.have.length(1);
    expect(JSON.parse(found)).to.include({
      requestId: ids[1],
      route: '/api/v1/signings',
      status: 200,
      msg: 'request',
    });
  });

  it('has the events that docs/reference lists, and no others', () => {
    const guide = readFileSync('docs/reference/log-events.md', 'utf8');
    const events = [...guide.matchAll(/^\| `([^`]+)`/gm)].map(([, event = '']) => event);
    const code = ['src', 'adapters']
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`),
      )
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    expect(events.filter((event) => !code.includes(`'${event}'`))).to.deep.equal([]);
    const logged = [...code.matchAll(/\blog\??\.(?:warn|error)\([^;]*?,\s*'([^']+)',?\s*\)/g)];
    expect(logged).to.have.length.above(15);
    expect(
      logged.map(([, event]) => event).filter((event = '') => !events.includes(event)),
    ).to.deep.equal([]);
  });

  it('escapes control characters, so that no terminal obeys them', async () => {
    const id = 'a\u0000\u001b\u007f\u0080\u009b31m\u00a0é';
    log.warn({ id }, 'invalid document ignored');
    await log.flush(flushTimeoutMs);
    expect(JSON.parse(lines[0] ?? '').id).to.equal(id);
    expect(lines.join('').trimEnd()).to.match(/^[^\p{Cc}]+$/u);
  });

  it('redacts keys in every part of a line', async () => {
    const { text } = keys.current.full;
    const [, id, secret = ''] = text.split('_');
    const note = `aik_${text}_ aik_${'a'.repeat(65)}_${secret}`;
    log.error({ err: new Error(`bad ${text}`, { cause: new Error(text) }), note }, text);
    await log.flush(flushTimeoutMs);
    expect(lines).to.have.length(1);
    expect(lines[0]).not.to.include(secret);
    expect(JSON.parse(lines[0] ?? '').err).to.include({
      type: 'Error',
      message: `bad aik_${id}_…`,
    });
  });

  it('contains the stack of a bug, but no outage stack or driver fields', async () => {
    const cause = Object.assign(new Error('down'), {
      code: 'ECONNREFUSED',
      command: { args: ['AUTH', 'hush'] },
    });
    log.error({ err: new Problem('unavailable', 'Later.', { cause }) }, 'request failed');
    log.error({ err: Problem.from(new TypeError('x is undefined')) }, 'request failed');
    await log.flush(flushTimeoutMs);
    const [outage, bug] = lines.map((line) => JSON.parse(line).err);
    expect(outage).to.deep.equal({
      type: 'Problem',
      message: 'Later.',
      cause: { type: 'Error', message: 'down', code: 'ECONNREFUSED' },
    });
    expect([bug.stack, bug.cause.stack].every((stack) => stack.includes('log.test.ts'))).to.equal(
      true,
    );
    expect(lines.join()).not.to.include('hush');
  });

  it('is formatted for people on a terminal', async () => {
    const pretty = await openLog('info', Object.assign(stream, { isTTY: true }));
    pretty.info({ status: 200 }, 'request');
    await pretty.flush(flushTimeoutMs);
    expect(lines.join(''))
      .to.match(/INFO.*request.*"status":200/)
      .and.not.match(/^\{/);
  });
});

describe('a log whose stream is stuck', () => {
  it('buffers up to 1 MB, counts dropped lines, and limits the flush time', async () => {
    const { stream } = createStream({ isStuck: true });
    const log = await openLog('info', stream);
    for (let index = 0; index < 20_000; index++) {
      log.info({ index, text: 'x'.repeat(100) }, 'line');
      if (index % 100 === 0) await wait();
    }
    await wait();
    expect(stream.writableLength).to.be.within(1_000_000, 1_048_576);
    expect(log.droppedLines()).to.be.within(10_000, 19_999);
    mock.timers.enable({ apis: ['setTimeout'] });
    let isFlushed = false;
    const flushed = log.flush(50).then(() => {
      isFlushed = true;
    });
    mock.timers.tick(49);
    await wait();
    expect(isFlushed).to.equal(false);
    mock.timers.tick(1);
    await flushed;
    mock.timers.reset();
  });
});
