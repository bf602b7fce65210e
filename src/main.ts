import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createEmbeddedCatalogue } from '../adapters/embedded/catalogue.ts';
import { hasCollection } from '../adapters/embedded/files.ts';
import { createEmbeddedKeys } from '../adapters/embedded/keys.ts';
import { createEmbeddedQuotas } from '../adapters/embedded/quota.ts';
import { buildKeyDirectory } from './access.ts';
import { createApp } from './app.ts';
import { createCatalogueLoader } from './catalogue-loader.ts';
import { fixedClock, systemClock } from './clock.ts';
import { type Config, fixtureFolder, readConfig, version } from './config.ts';
import { describeDemoKeys } from './demo.ts';
import { createDisclosure } from './disclosure.ts';
import { createFollower } from './follower.ts';

/** The composition root: opens the stores, builds the gateway, listens, and closes with grace. */
const start = async (config: Config): Promise<void> => {
  const log = pino({ level: config.logLevel });
  const clock = config.fixedNow === undefined ? systemClock() : fixedClock(config.fixedNow);

  const catalogueFolder = config.catalogueFolder ?? fixtureFolder;
  const files = createEmbeddedCatalogue({
    folder: catalogueFolder,
    clock,
    endsToday: catalogueFolder === fixtureFolder && config.fixedNow === undefined,
  });
  const keysFolder =
    config.keysFolder ?? ((await hasCollection(catalogueFolder, 'api_keys')) ? catalogueFolder : fixtureFolder);
  const keyFiles = createEmbeddedKeys(keysFolder);

  const keys = createFollower({
    name: 'keys',
    load: async () => buildKeyDirectory(await keyFiles.load()),
    intervalMs: config.keysRefreshMs,
    maxStalenessMs: config.keysMaxStalenessMs,
    clock,
    log,
  });
  const parts = { histories: files, disclosure: createDisclosure(), spikes: config.spikes };
  const catalogue = createFollower({
    name: 'catalogue',
    load: createCatalogueLoader(files, parts, log),
    intervalMs: config.catalogueRefreshMs,
    maxStalenessMs: config.maxStalenessMs,
    clock,
    log,
  });
  await keys.refresh();
  await catalogue.refresh();
  keys.start();
  catalogue.start();

  // A clock that stands still would never end a quota window, so quotas follow the real one.
  const quotas = createEmbeddedQuotas(systemClock());
  const server = createServer(
    createApp({ clock, log, keys, catalogue, quotas, storeTimeoutMs: config.storeTimeoutMs, version }).callback(),
  );
  await listen(server, config);
  const { port } = server.address() as AddressInfo; // a TCP listener's address is never a text
  const baseUrl = `http://${config.host}:${port}`;
  log.info({ url: baseUrl, artists: catalogue.value()?.snapshot.listed.length }, 'listening');
  process.stdout.write(`\n${describeDemoKeys(await keyFiles.demoKeys(), baseUrl)}\n`);

  const stop = (): void => {
    keys.stop();
    catalogue.stop();
    server.close();
    setTimeout(() => server.closeAllConnections(), config.shutdownGraceMs).unref();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
};

const listen = (server: ReturnType<typeof createServer>, { host, port }: Config): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

try {
  await start(readConfig());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
