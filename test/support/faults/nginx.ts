import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess, killWithTests } from '../child-process.ts';
import { freePort } from '../ports.ts';
import { until } from '../wait.ts';

/** The configuration that operators install. */
const nginxConfiguration = readFileSync(
  new URL('../../../deploy/nginx/gateway.conf', import.meta.url),
  'utf8',
);

/** The same location, as the guide has it for a `PUBLIC_URL` with the path /music. */
const pathLocation = (): string => {
  const guide = readFileSync(new URL('../../../docs/deploying.md', import.meta.url), 'utf8');
  const [, pass = ''] = /`(if \(\$request_uri [^`]+)`/.exec(guide) ?? [];
  const [, body = ''] = /^ +location \/ \{\n(.+?)^ +\}$/ms.exec(nginxConfiguration) ?? [];
  return `location /music/ {\n${body.replace(/proxy_pass .*/, () => pass)}}\n`;
};

/** Replaces each text, which must be there, once. */
const adapt = (
  text: string,
  replacements: readonly (readonly [from: string, to: string])[],
): string =>
  replacements.reduce((adapted, [from, to]) => {
    if (adapted.split(from).length !== 2)
      throw new Error(`gateway.conf does not have "${from}" once`);
    return adapted.replace(from, () => to);
  }, text);

/**
 * Where nginx listens. Versions from 1.25.1 on warn of `listen … http2`: the configuration says
 * what they take instead.
 */
const listenOn = (port: number): readonly (readonly [from: string, to: string])[] => {
  const { error, stderr } = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
  if (error !== undefined)
    throw new Error('nginx cannot be run. Install it: "apt-get install nginx".', { cause: error });
  const [, major, minor, patch] = /nginx\/(\d+)\.(\d+)\.(\d+)/.exec(stderr) ?? [];
  const knowsHttp2 = Number(major) * 1e6 + Number(minor) * 1e3 + Number(patch) >= 1_025_001;
  const listen = `listen 127.0.0.1:${port} ssl`;
  return [['listen 443 ssl http2;', knowsHttp2 ? `${listen}; http2 on;` : `${listen} http2;`]];
};

/**
 * Starts nginx with the operators' configuration, also below the path /music: only addresses,
 * certificate and log files are this test's.
 */
export const startNginx = async (gatewayPorts: readonly [number, number]) => {
  const folder = mkdtempSync(join(tmpdir(), 'artist-gateway-nginx-'));
  chmodSync(folder, 0o755); // a worker that root starts is another user
  const at = (name: string): string => join(folder, name);
  const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes', '-newkey', 'rsa:2048'];
  execFileSync(
    'openssl',
    ['req', '-x509', ...subject, '-keyout', at('key.pem'), '-out', at('certificate.pem')],
    {
      stdio: 'ignore',
    },
  );
  const port = await freePort();
  const logs = ['access.log', 'gateway-error.log', 'error.log'];
  const gateway = adapt(nginxConfiguration, [
    ['127.0.0.1:3000 ', `127.0.0.1:${gatewayPorts[0]} `],
    ['127.0.0.1:3001 ', `127.0.0.1:${gatewayPorts[1]} `],
    ...listenOn(port),
    ['location / {', `${pathLocation()}location / {`],
    ['/etc/ssl/api.example.com.pem', at('certificate.pem')],
    ['/etc/ssl/api.example.com.key', at('key.pem')],
    ['/var/log/nginx/gateway.log', at('access.log')],
    ['/var/log/nginx/gateway-error.log', at('gateway-error.log')],
  ]);
  writeFileSync(at('gateway.conf'), gateway);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${at(name)};`,
  );
  const main = [
    'daemon off;',
    'worker_processes 1;',
    `pid ${at('pid')};`,
    `error_log ${at('error.log')};`,
  ];
  writeFileSync(
    at('nginx.conf'),
    `${main.join('\n')}\nevents {}\nhttp {\n${paths.join('\n')}\ninclude ${at('gateway.conf')};\n}\n`,
  );
  const child = spawn('nginx', ['-p', folder, '-c', at('nginx.conf'), '-e', at('error.log')], {
    stdio: 'ignore',
  });
  killWithTests(child, 'SIGTERM'); // which ends its workers too

  // The certificate is this test's own. More at a time than a busy machine answers within 5 s would
  // be taken for standing still.
  const agent = new Agent({ keepAlive: true, maxSockets: 20, rejectUnauthorized: false });
  /** A GET through the proxy, over TLS. */
  const get = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number }>((resolve, reject) => {
      const sent = request({ port, path, headers, agent }, (response) => {
        response.resume();
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0 }));
      });
      sent.on('error', reject);
      sent.end();
    });
  /** Everything that it has written to its logs. */
  const readLogs = (): string => logs.map((name) => readFileSync(at(name), 'utf8')).join('\n');
  await until('nginx passes requests on', async () => {
    if (child.exitCode !== null)
      throw new Error(`nginx ended: ${readFileSync(at('error.log'), 'utf8')}`);
    return get('/api/v1/health').then(
      ({ status }) => status === 200,
      () => false,
    );
  });
  return {
    get,
    logs: readLogs,
    async stop() {
      agent.destroy();
      await endProcess(child, 'SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

export type Nginx = Awaited<ReturnType<typeof startNginx>>;
