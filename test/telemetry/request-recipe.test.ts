import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createCleanup } from '../support/cleanup.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { demoKey } from '../support/faults/database.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { until } from '../support/wait.ts';

const guide = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');

/** The command of the guide, and the id and the file in it. */
const recipe = /^jq .* --arg id (\S+) (\S+)$/m.exec(guide);

describe('the recipe that finds a request by its id', function () {
  this.timeout(30_000);
  const cleanup = createCleanup();
  after(() => cleanup.run());

  it('prints the line of that request alone, from a log with other requests and other lines', async () => {
    const [command = '', id = '', file = ''] = recipe ?? [];
    const gateway = await cleanup.start(startGatewayProcess({}));
    const key = demoKey('curFull01');
    const answers = [
      await gateway.get('/api/v1/artists?limit=1', key),
      await gateway.get('/api/v1/signings', key),
      await gateway.get('/api/v1/spikes', key),
    ];
    const ids = answers.map(({ headers }) => String(headers['x-request-id']));
    await until('all are logged', () => ids.every((each) => gateway.hasLogged(each)));
    const folder = await cleanup.makeFolder('log');
    await writeFile(join(folder, file), `${gateway.lines.join('\n')}\n`);
    const found = await runProgram('sh', ['-c', command.replace(id, ids[1] ?? '')], folder);
    expect(found.trim().split('\n')).to.have.length(1);
    expect(JSON.parse(found)).to.include({ requestId: ids[1], route: '/api/v1/signings', status: 200, msg: 'request' });
  });
});
