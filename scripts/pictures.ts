import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { assessPlanted, plantKeys } from '../test/support/cli/planted-keys.ts';
import { run } from '../test/support/cli/run.ts';
import { projectFolder } from '../test/support/deploy/working-copy.ts';
import { demoKey } from '../test/support/faults/database.ts';
import { startGatewayProcess } from '../test/support/gateway-process.ts';
import { statusPage } from '../tools/cli/migration/status-page.ts';
import { drawIdea } from './pictures/idea.ts';
import { drawRooms } from './pictures/rooms.ts';

/**
 * Makes the pictures of the README in docs/images: two drawings, and screenshots of pages and
 * reports over the example catalogue, in Chromium (`CHROMIUM`), light and dark. Run `npm run build`
 * first.
 */

const images = join(projectFolder, 'docs/images');
const chromium = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const quiet = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--hide-scrollbars',
  '--virtual-time-budget=5000',
];
const offline = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
const schemes = { light: 1, dark: 0 } as const; // Chromium's numbers of a preferred colour scheme

const screenshot = async (
  name: string,
  url: string,
  height: number,
  folder: string,
): Promise<void> => {
  for (const [scheme, number] of Object.entries(schemes)) {
    const view = [
      `--window-size=1200,${height}`,
      `--blink-settings=preferredColorScheme=${number}`,
    ];
    const profile = `--user-data-dir=${await mkdtemp(join(folder, 'profile-'))}`;
    const target = `--screenshot=${join(images, `${name}-${scheme}.png`)}`;
    await promisify(execFile)(chromium, [...quiet, ...offline, ...view, profile, target, url]);
  }
};

const folder = await mkdtemp(join(tmpdir(), 'artist-gateway-pictures-'));
const gateway = await startGatewayProcess({
  FIXED_NOW: '2026-08-22T12:00:00.000Z',
  PUBLIC_URL: 'https://api.example.com',
});
try {
  await mkdir(images, { recursive: true });
  const question = '/api/v1/artists?limit=9';
  const [current, variant] = await Promise.all(
    ['curFull01', 'varFull01'].map((name) => gateway.get(question, demoKey(name))),
  );
  await writeFile(
    join(images, 'idea.svg'),
    drawIdea(question, current?.body ?? '', variant?.body ?? ''),
  );

  const guide = await readFile(join(projectFolder, 'docs/architecture.md'), 'utf8');
  const [, mermaid = ''] = /```mermaid\n(.+?)```/s.exec(guide) ?? [];
  const isCore = (room: string) =>
    existsSync(join(projectFolder, 'src', room)) ||
    existsSync(join(projectFolder, `src/${room}.ts`));
  await writeFile(join(images, 'rooms.svg'), drawRooms(mermaid, isCore));

  await screenshot('docs', `${gateway.url}/docs`, 720, folder);

  const now = Date.parse('2026-08-22T12:00:00Z');
  const fleet = join(folder, 'fleet.html');
  await writeFile(
    fleet,
    statusPage(assessPlanted(plantKeys(12, now), now).report, { now, guides: undefined }),
  );
  await screenshot('fleet', `file://${fleet}`, 720, folder);

  const report = join(folder, 'report.html');
  await run({}, [
    'compare',
    '--catalogue',
    'fixtures/catalogue',
    '--case',
    'artists-signed*',
    '--html',
    report,
  ]);
  const folded = await readFile(report, 'utf8');
  await writeFile(
    report,
    folded
      .replace('<details', '<details open')
      .replace(/<details(?=[^>]*>\s*<summary>[^<]*(<[^/][^<]*)?items\[0\])/, '<details open'),
  );
  await screenshot('compare', `file://${report}`, 720, folder);
} finally {
  await gateway.stop();
  await rm(folder, { recursive: true });
}
