import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { endProcess, killWithTests } from '../child-process.ts';
import { createCleanup } from '../cleanup.ts';
import { freePort } from '../ports.ts';
import { until } from '../wait.ts';

const readFile = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** The configuration that operators install. */
const nginxConfiguration = readFile('deploy/nginx/gateway.conf');

/** The same location, as the guide has it for a `PUBLIC_URL` with the path /music. */
const pathLocation = (): string => {
  const [, pass = ''] = /`(if \(\$request_uri [^`]+)`/.exec(readFile('docs/deploying.md')) ?? [];
  const [, body = ''] = /^ +location \/ \{\n(.+?)^ +\}$/ms.exec(nginxConfiguration) ?? [];
  return `location /music/ {\n${body.replace(/proxy_pass .*/, () => pass)}}\n`;
};

/** Replaces each text, which must occur once. */
const adapt = (text: string, replacements: Readonly<Record<string, string>>): string =>
  Object.entries(replacements).reduce((adapted, [from, to]) => {
    if (adapted.split(from).length !== 2)
      throw new Error(`gateway.conf does not have "${from}" once`);
    return adapted.replace(from, () => to);
  }, text);

/**
 * Creates a certificate for localhost and 127.0.0.1. Returns the paths of the key and of the
 * certificate.
 */
export const createCertificate = (folder: string): readonly [key: string, certificate: string] => {
  const files = [join(folder, 'key.pem'), join(folder, 'certificate.pem')] as const;
  const names = '-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1,DNS:localhost';
  const options = `req -x509 -newkey rsa:2048 -nodes -days 2 ${names}`.split(' ');
  execFileSync('openssl', [...options, '-keyout', files[0], '-out', files[1]], { stdio: 'ignore' });
  return files;
};

/**
 * Starts nginx with the operators' configuration, also below the path /music: only addresses,
 * certificate and log files are this test's.
 */
export const startNginx = async (gatewayPorts: readonly [number, number]) => {
  const cleanup = createCleanup();
  const folder = await cleanup.makeFolder('nginx');
  chmodSync(folder, 0o755); // a worker that root starts is another user
  const at = (name: string): string => join(folder, name);
  const [key, certificate] = createCertificate(folder);
  const port = await freePort();
  const logs = ['access.log', 'gateway-error.log', 'error.log'];
  const gateway = adapt(nginxConfiguration, {
    '127.0.0.1:3000 ': `127.0.0.1:${gatewayPorts[0]} `,
    '127.0.0.1:3001 ': `127.0.0.1:${gatewayPorts[1]} `,
    'listen 443 ssl http2;': `listen 127.0.0.1:${port} ssl;`,
    'location / {': `${pathLocation()}location / {`,
    '/etc/ssl/api.example.com.pem': certificate,
    '/etc/ssl/api.example.com.key': key,
    '/var/log/nginx/gateway.log': at('access.log'),
    '/var/log/nginx/gateway-error.log': at('gateway-error.log'),
  });
  writeFileSync(at('gateway.conf'), gateway);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${at(name)};`,
  );
  writeFileSync(
    at('nginx.conf'),
    `daemon off; worker_processes 1; pid ${at('pid')}; error_log ${at('error.log')};
    events {}
    http { ${temporary.join(' ')} include ${at('gateway.conf')}; }`,
  );
  const args = ['-p', folder, '-c', at('nginx.conf'), '-e', at('error.log')];
  const child = spawn('nginx', args, { stdio: 'ignore' });
  killWithTests(child, 'SIGTERM'); // which ends its workers too
  cleanup.add(child, () => endProcess(child, 'SIGTERM'));

  // The certificate is this test's own. More at a time than a busy machine answers within 5 s would
  // be taken for standing still.
  const agent = new Agent({ keepAlive: true, maxSockets: 20, rejectUnauthorized: false });
  cleanup.add(agent, async () => agent.destroy());
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
  await until('nginx passes requests on or has ended', async () => {
    return child.exitCode !== null || (await get('/api/v1/health')).status === 200;
  });
  if (child.exitCode !== null) throw new Error(readFileSync(at('error.log'), 'utf8'));
  return {
    get,
    /** Everything that it has written to its logs. */
    logs: (): string => logs.map((name) => readFileSync(at(name), 'utf8')).join('\n'),
    stop: cleanup.run,
  };
};

export type Nginx = Awaited<ReturnType<typeof startNginx>>;
