import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { useCleanup } from '../support/cleanup.ts';
import { demoKey } from '../support/documents.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';

/** What Node writes into `NODE_V8_COVERAGE` when a process ends: every script that it loaded. */
const coverage = z.object({ result: z.array(z.object({ url: z.string() })) });

const built = new URL('../../dist/', import.meta.url).href;

const requests = [
  ['/api/v1/artists?include=history', 'curFull01'],
  ['/api/v1/spikes', 'curFull01'],
  ['/api/v1/artists', 'varFull01'],
  ['/api/v1/signings', 'varFull01'],
] as const;

const pages = ['/docs', '/docs/migration', '/docs/changes', '/openapi.json'];

describe('a running gateway', () => {
  const cleanup = useCleanup(after);

  it('loads no `tools` file for requests of both forms and /docs pages', async () => {
    const folder = await cleanup.makeFolder('coverage');
    const gateway = await cleanup.start(startGatewayProcess({ NODE_V8_COVERAGE: folder }));
    for (const [path, key] of requests)
      expect((await gateway.get(path, demoKey(key))).status, path).to.equal(200);
    for (const path of pages) expect((await gateway.get(path)).status, path).to.equal(200);
    expect(gateway.lines.join()).to.match(/"build":"[0-9a-f]{12}"/);
    await gateway.stop();
    await gateway.exit;
    const urls = readdirSync(folder).flatMap((name) =>
      coverage
        .parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))
        .result.map(({ url }) => url),
    );
    const files = [...new Set(urls)].flatMap((url) =>
      url.startsWith(built) ? [url.slice(built.length)] : [],
    );
    const program = 'tools/cli/artist-gateway.js';
    expect(files).to.include.members([program, 'adapters/http/pipeline.js']);
    const ofTools = files.filter((file) => file.startsWith('tools/') && file !== program);
    expect(
      ofTools,
      `${ofTools.length} of the ${files.length} files that serve are of tools: move what they have to src or adapters`,
    ).to.deep.equal([]);
  });
});
