import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { addDays, dayOf } from '../../src/domain/day.ts';
import { killWithTests, readCommandLines } from '../support/child-process.ts';
import { useCleanup } from '../support/cleanup.ts';
import { openLocalServer } from '../support/partners/local-server.ts';
import { runProgramFile } from '../support/partners/programs.ts';
import { filledTexts } from '../support/reference.ts';
import { site } from '../support/site.ts';

const baseUrl = 'http://lines.test';

/** Lines for a shell, as a reader copies them. */
interface Program {
  readonly form: string;
  readonly title: string;
  readonly code: string;
  /**
   * What they do: the function of the page that they call, `copy` or `download` into a file, `poll`
   * for ever, or `curl` alone.
   */
  readonly kind: string;
  /** Whether one function made them and other lines of the form, which are run in all situations. */
  readonly isLikeOthers: boolean;
}

const kindOf = (code: string): string => {
  if (code.includes('while :')) return 'poll';
  if (code.includes('&& mv')) return 'copy';
  if (code.includes('curl -sSfLO')) return 'download';
  return ['list', 'pages', 'ask'].find((name) => code.includes(`\n${name} '`)) ?? 'curl';
};

/** All lines of the pages that request a gateway, as Markdown has them. */
const readPrograms = (): readonly Program[] => {
  const texts = filledTexts(site, { baseUrl, sandboxUrl: baseUrl });
  return forms.flatMap(({ name: form }) =>
    [...texts]
      .filter(([path]) => path.endsWith('.md') && path.startsWith('/docs'))
      .filter(([path]) => path.startsWith('/docs/variant') === (form === 'variant'))
      .flatMap(([path, text]) =>
        text.split('\n## ').flatMap((chapter) =>
          [...chapter.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, code = '']) => ({
            title: chapter.split('\n')[0] ?? '',
            code,
            isLikeOthers: path.includes('/endpoints/') && !path.endsWith('/artists.md'),
          })),
        ),
      )
      .filter(({ code }) => code.includes(baseUrl))
      .filter(({ title }) => title !== 'Watch for the end date') // notices.test.ts runs it
      .map((one) => ({ ...one, form, kind: kindOf(one.code) })),
  );
};

/**
 * An answer of either form: a page with a cursor in the current form, else a list of so many
 * artists, of whom the last has another tier.
 */
const bodyOf = (
  form: string,
  artists: number,
  cursor: string | null,
  tier = 'watch',
  lastTier = tier,
): string => {
  const data = Array.from({ length: artists }, (_, index) => ({
    id: `${cursor}-${index}`,
    name: '"count":200,"tier":"watch"',
    tier: index < artists - 1 ? tier : lastTier,
  }));
  const current = { data, meta: { count: artists, next_cursor: cursor } };
  return JSON.stringify(form === 'current' ? current : { success: true, count: artists, data });
};

/** How a server answers: a status with its body, or what it does to the connection. */
interface Answer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string;
  readonly ends?: 'before the head' | 'in the body';
}

const whole = (form: string): Answer => ({ status: 200, body: bodyOf(form, 2, null) });
const refusal = '{"error":{"code":"from_the_test","message":"Wait.","request_id":"r-1"}}';
const refused = (status: number, retryAfter: string): Answer => ({
  status,
  body: refusal,
  retryAfter,
});
const tomorrow = refused(429, '3600');
const firstPage = (form: string): Answer => ({
  status: 200,
  body: form === 'current' ? bodyOf(form, 2, 'second') : bodyOf(form, 200, null),
});

interface Situation {
  readonly name: string;
  /** What the lines begin with, after the prelude. */
  readonly setup?: string;
  readonly answer: (asked: {
    readonly form: string;
    readonly url: string;
    readonly turn: number;
    readonly isSecondPage: boolean;
  }) => Answer;
  /**
   * Exit code, what is shown, and what standard error says, by kind of lines and where they differ
   * by form.
   */
  readonly expected: Readonly<Record<string, string>>;
}

/** What `ask` and all that is made of it do where one answer is no whole 200. */
const failing = (curl: string, why: string): Situation['expected'] => ({
  curl,
  download: curl.replace('the refusal', 'nothing'),
  ask: `1, nothing: ${why}`,
  pages: `1, nothing: ${why}`,
  list: `1, nothing: ${why}`,
  copy: `1, nothing: ${why}`,
  poll: `asks again, nothing: ${why}`,
});
/** What they do where an answer is whole at last; `curl` alone shows the first. */
const succeeding = (curl: string): Situation['expected'] => ({
  ...failing(curl, ''),
  ...Object.fromEntries(['ask', 'pages', 'list', 'copy'].map((kind) => [kind, '0, all'])),
  poll: 'asks again, all',
});

const situations: readonly Situation[] = [
  { name: '200', answer: ({ form }) => whole(form), expected: succeeding('0, all') },
  {
    name: 'a second page, or a list of 200',
    answer: ({ form, isSecondPage }) => (isSecondPage ? whole : firstPage)(form),
    expected: {
      ...succeeding('0, all'),
      list: '1, all: cut at 200',
      'variant copy': '1, nothing: cut at 200',
      'variant poll': 'asks again, all: cut at 200',
    },
  },
  ...[
    { last: 'watch', expected: '0, all: cut at 200' },
    { last: 'another', expected: '1, nothing: cut at 200' },
  ].map(
    ({ last, expected }): Situation => ({
      name: `a list of 200 who are unsigned, the last of the tier ${last}`,
      answer: ({ form, url }) =>
        url.endsWith('limit=200&signed=false')
          ? { status: 200, body: bodyOf(form, 200, null, 'watch', last) }
          : whole(form),
      expected: { ...succeeding('0, all'), 'variant copy': expected },
    }),
  ),
  {
    name: 'a page that names itself as the next one',
    answer: ({ form }) => ({ status: 200, body: bodyOf(form, 2, 'same') }),
    expected: {
      ...succeeding('0, all'),
      pages: '1, all: names itself as the next one',
      'current copy': '1, nothing: names itself as the next one',
      'current poll': 'asks again, all: names itself as the next one',
    },
  },
  {
    name: '304',
    answer: () => ({ status: 304, body: '' }),
    expected: failing('0, nothing', '304'),
  },
  {
    name: '429 for an hour',
    answer: () => tomorrow,
    expected: failing('22, the refusal: 429', '429'),
  },
  {
    name: '429 once',
    answer: ({ form, turn }) => (turn === 0 ? refused(429, '1') : whole(form)),
    expected: succeeding('22, the refusal: 429'),
  },
  {
    name: '429 at the second page',
    answer: ({ form, isSecondPage }) => (isSecondPage ? tomorrow : firstPage(form)),
    expected: {
      ...failing('0, all', '429'),
      ask: '0, all',
      pages: '1, a part: 429',
      list: '1, all: cut at 200',
      poll: 'asks again, a part: 429',
      'variant copy': '1, nothing: cut at 200',
      'variant poll': 'asks again, all: cut at 200',
    },
  },
  {
    name: '503',
    answer: () => refused(503, '1'),
    expected: failing('22, the refusal: 503', '503'),
  },
  {
    name: '503 once',
    answer: ({ form, turn }) => (turn === 0 ? refused(503, '1') : whole(form)),
    expected: succeeding('22, the refusal: 503'),
  },
  {
    name: '404',
    answer: () => ({ status: 404, body: refusal }),
    expected: failing('22, the refusal: 404', '404'),
  },
  {
    name: 'cut in the body',
    answer: ({ form }) => ({ ...whole(form), ends: 'in the body' }),
    expected: failing('18, a part: curl: (18)', 'curl: (18)'),
  },
  {
    name: 'cut once',
    answer: ({ form, turn }) => ({
      ...whole(form),
      ...(turn === 0 && { ends: 'in the body' as const }),
    }),
    expected: succeeding('18, a part: curl: (18)'),
  },
  {
    name: 'connection lost',
    answer: () => ({ status: 200, body: '', ends: 'before the head' }),
    expected: failing('52, nothing: curl: (52)', 'curl: (52)'),
  },
  {
    name: 'redirect',
    answer: () => ({ status: 302, body: '' }),
    expected: { ...failing('0, nothing', '302'), download: '47, nothing: curl: (47)' },
  },
  {
    name: 'a page of somebody else',
    answer: () => ({ status: 200, body: '<html>Log in</html>' }),
    expected: {
      ...succeeding('0, all'),
      pages: '1, nothing: not a page of a list',
      list: '1, nothing: not a list',
      copy: '1, nothing: not a page of a list',
      poll: 'asks again, nothing: not a page of a list',
      'variant copy': '1, nothing: not a list',
      'variant poll': 'asks again, nothing: not a list',
    },
  },
  {
    // In a shell that does not end with the first failure. A second page would be refused: nothing
    // asks for it.
    name: 'an output that cannot be written',
    setup: 'set +e; exec > /dev/full; ln -s /dev/full shortlist.$$\n',
    answer: ({ form, isSecondPage }) =>
      isSecondPage ? tomorrow : (form === 'current' ? firstPage : whole)(form),
    expected: {
      ...failing('23, nothing: curl: (23)', 'write error'),
      download: '0, all', // into a file
    },
  },
];

/**
 * What the lines begin with in a test: one retry in place of four, no pause but what `Retry-After`
 * asks for, and the end of the second turn of a loop.
 */
const prelude = `curl() {
  case " $* " in *" --retry 4 "*) set -- "$@" --retry 1 ;; esac
  command curl --retry-delay 1 "$@"
}
turns=0
sleep() { turns=$((turns + 1)); [ $turns -lt 2 ] || exit 77; }
`;

const reasons =
  /\b(?:302|304|404|429|503)$|\b(?:cut at 200|not a page of a list|not a list|write error|names itself as the next one)\b/gm;

/** What standard error says last, the status before curl's own message. */
const reasonIn = (errors: string): string =>
  errors.match(reasons)?.at(-1) ?? /curl: \(\d+\)/.exec(errors)?.[0] ?? '';

/** Situations that all lines meet every day. */
const daily = ['200', '304', '429 for an hour', '503', 'cut in the body', 'connection lost'];

const runsAll = process.env['EXAMPLE_RUNS'] === 'all';

describe('the shell lines of the pages', () => {
  const cleanup = useCleanup(after);

  /** What the one server does below the first segment of a path. */
  const rows = new Map<string, (url: string, response: ServerResponse) => void>();
  let serverUrl = '';
  before(async () => {
    const server = await openLocalServer(({ url = '' }, response) => {
      const [, row = '', rest = ''] = /^\/(\w+)(.*)$/.exec(url) ?? [];
      rows.get(row)?.(rest, response);
    });
    cleanup.add(server, async () => server.close());
    serverUrl = server.url;
  });

  /** Runs lines as a script of their own in a situation. Returns a cell of the table. */
  const follow = async (
    { form, code }: Program,
    { setup = '', answer }: Situation,
  ): Promise<string> => {
    const answered: Answer[] = [];
    const row = `row${rows.size}`;
    rows.set(row, (url, response) => {
      const isSecondPage = url.includes('cursor=second');
      const one = answer({ form, url, turn: answered.length, isSecondPage });
      answered.push(one);
      if (one.ends === 'before the head') return void response.destroy();
      const { status, body, retryAfter } = one;
      response.writeHead(status, {
        'Content-Length': Buffer.byteLength(body),
        ...(retryAfter && { 'Retry-After': retryAfter }),
        ...(status === 302 && { Location: `/${row}/elsewhere` }),
      });
      if (one.ends === undefined) response.end(body);
      else response.write(body.slice(0, -20), () => response.destroy());
    });
    const folder = await cleanup.makeFolder('lines');
    await mkdir(join(folder, 'bin'));
    await writeFile(join(folder, 'bin/npm'), '#!/bin/sh\n');
    await chmod(join(folder, 'bin/npm'), 0o755);
    const lines = prelude + setup + code.replaceAll(baseUrl, `${serverUrl}/${row}`);
    await writeFile(join(folder, 'bin/lines'), lines);
    const env = {
      PATH: `${folder}/bin:${process.env['PATH']}`,
      HOME: folder,
      ARTIST_API_KEY: 'aik_x',
      LC_ALL: 'C',
    };
    const options = { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] as const };
    const child = spawn('bash', ['-euo', 'pipefail', join(folder, 'bin/lines')], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    killWithTests(child);
    let [shown, errors] = ['', ''];
    child.stdout.on('data', (chunk) => {
      shown += chunk;
    });
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    const [exit] = await once(child, 'close');
    // `/dev/full`, which has no end, is no file.
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries)
      if (entry.isFile() && /\.(?:ndjson|mjs|py|json)$/.test(entry.name))
        shown += await readFile(join(entry.parentPath, entry.name), 'utf8');
    shown = shown.replace(/^HTTP\/1\.1 .*?\r\n\r\n/s, ''); // of `curl -i`
    const wholes = answered.filter(
      ({ status, body, ends }) => status === 200 && body !== '' && ends === undefined,
    );
    const isAll =
      wholes.length > 0 &&
      wholes.every(({ body }) => shown.includes(body)) &&
      answered.at(-1) === wholes.at(-1);
    const what = isAll
      ? 'all'
      : shown.includes(refusal)
        ? 'the refusal'
        : shown.trim() === ''
          ? 'nothing'
          : 'a part';
    const why = reasonIn(errors);
    const hasPart = entries.some((entry) => entry.isFile() && /^shortlist\.\d+$/.test(entry.name));
    return `${exit === 77 ? 'asks again' : exit}, ${what}${hasPart ? ', a part left' : ''}${why && `: ${why}`}`;
  };

  it('print all that they ask for, or end with a code and a reason; a loop says why and asks again', async function () {
    this.timeout(120_000);
    const programs = readPrograms();
    expect(programs).to.have.lengthOf.above(20);
    /** By day lines that are not like others meet the daily situations and one more. */
    const isRun = (program: Program, turn: number, name: string, index: number): boolean =>
      daily.includes(name) || (!program.isLikeOthers && index === turn % situations.length);
    const table = programs.flatMap((program, turn) =>
      situations
        .filter(({ name }, index) => runsAll || isRun(program, turn, name, index))
        .map((situation) => ({ program, situation })),
    );
    const cells = new Map<(typeof table)[number], string>();
    const waiting = [...table];
    const work = async (): Promise<void> => {
      for (let row = waiting.pop(); row !== undefined; row = waiting.pop())
        cells.set(row, await follow(row.program, row.situation));
    };
    await Promise.all(Array.from({ length: 24 }, work));
    const wrong = table.flatMap((row) => {
      const { form, kind, title } = row.program;
      const { name, expected } = row.situation;
      const cell = cells.get(row);
      const isAsExpected = cell === (expected[`${form} ${kind}`] ?? expected[kind]);
      return isAsExpected
        ? []
        : [
            `${form}, ${title} (${kind}), ${name}: ${cell}, not ${expected[`${form} ${kind}`] ?? expected[kind]}`,
          ];
    });
    expect(wrong).to.deep.equal([]);
  });

  for (const [name, target, artists, expected] of [
    ['list', '/api/v1/artists?tier=watch', 100, '1, nothing, 0 asked: set limit=200'],
    ['list', '/api/v1/artists?limit=9&limit=200', 9, '1, nothing, 0 asked: set limit=200'],
    ['list', '/api/v1/artists?tier=watch&limit=200', 199, '0, all, 1 asked'],
    ['list', '/api/v1/signings', 200, '0, all, 1 asked'],
    ['pages', '/api/v1/added?days=7', 100, '1, nothing, 0 asked: only /api/v1/artists has pages'],
    ['pages', '/api/v1/artists/x', 1, '1, nothing, 0 asked: only /api/v1/artists has pages'],
    ['pages', '/api/v1/artists', 2, '0, all, 1 asked, as /api/v1/artists?limit=100'],
  ] as const)
    it(`end with a reason where \`${name}\` cannot tell whether a list is whole: ${target}`, async () => {
      const { form, code } = readPrograms().find(({ kind }) => kind === name) ?? {};
      if (form === undefined || code === undefined) throw new Error(`no lines call ${name}`);
      const body = bodyOf(form, artists, null);
      const asked: string[] = [];
      const server = await openLocalServer(({ url = '' }, response) => {
        asked.push(url);
        response.end(body);
      });
      const file = join(await cleanup.makeFolder('lines'), 'lines.sh');
      const called = code.replace(new RegExp(`^${name} '.*'$`, 'm'), `${name} '${target}'`);
      expect(called).to.not.equal(code);
      await writeFile(file, prelude + called.replaceAll(baseUrl, server.url));
      const env = { ARTIST_API_KEY: 'aik_x', PATH: process.env['PATH'] ?? '' };
      const { code: exit, stdout, errors } = await runProgramFile(file, [], { env });
      server.close();
      const shown = stdout.trim() === body ? 'all' : stdout === '' ? 'nothing' : 'a part';
      const why = errors.map((line) => `: ${line.replace(`${target}: `, '')}`);
      const others = asked.filter((url) => url !== target).map((url) => `, as ${url}`);
      const outcome = `${exit}, ${shown}, ${asked.length} asked${others.join('')}${why.join('')}`;
      expect(outcome).to.equal(expected);
    });

  it('ask for artists since yesterday (UTC) with a `date` that has only the options of POSIX, as that of Alpine', async () => {
    const polling = readPrograms().filter(({ code }) => code.includes('added_since='));
    expect(polling).to.not.be.empty;
    for (const { code } of polling) {
      const asked: string[] = [];
      const server = await openLocalServer(({ url = '' }, response) => {
        asked.push(url);
        response.end(bodyOf('current', 1, null));
      });
      const folder = await cleanup.makeFolder('lines');
      const path = process.env['PATH'] ?? '';
      const date = `#!/bin/sh
for one; do case $one in -u | +*) ;; *) exit 1 ;; esac; done
PATH='${path}' exec date "$@"
`;
      await writeFile(join(folder, 'date'), date, { mode: 0o755 });
      await writeFile(join(folder, 'lines.sh'), prelude + code.replaceAll(baseUrl, server.url));
      const yesterday = () => addDays(dayOf(Date.now()), -1);
      const before = yesterday();
      const env = { ARTIST_API_KEY: 'aik_x', PATH: `${folder}:${path}` };
      await runProgramFile(join(folder, 'lines.sh'), [], { env });
      server.close();
      const days = asked.map((url) => /added_since=(.*)$/.exec(url)?.[1]);
      expect(days).to.have.lengthOf(2);
      for (const day of days) expect(day).to.be.oneOf([before, yesterday()]);
    }
  });

  it('have no comment: an interactive zsh runs what is behind a #, and reports the # of a function on each call', async () => {
    const texts = filledTexts(site, { baseUrl, sandboxUrl: baseUrl });
    const pages = [...texts].filter(([path]) => path.endsWith('.md'));
    const operators = [
      'commands',
      'comparing',
      'deploying',
      'importing',
      'migrating-partners',
      'operating',
    ];
    const guides = ['README.md', ...operators.map((name) => `docs/${name}.md`)];
    const documents = [
      ...pages,
      ...(await Promise.all(
        guides.map(async (guide) => [guide, await readFile(guide, 'utf8')] as const),
      )),
    ];
    const blocks = documents.flatMap(([path, text]) =>
      [...text.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, code = '']) => ({ path, code })),
    );
    for (const path of ['/docs.md', '/docs/guides.md', '/docs/migration.md', ...guides])
      expect(blocks.filter((one) => one.path === path)).to.not.be.empty;
    for (const { path, code } of blocks) expect(code, path).to.not.match(/(?:^|[\s;])#/);
    const contributing = await readFile('docs/contributing.md', 'utf8');
    const [before = ''] = contributing.split('```sh', 1);
    expect(before, 'its blocks have comments').to.include('setopt interactive_comments');
  });

  it('do not repeat what a certificate or a proxy refuses', async () => {
    const asking = readPrograms().filter(({ kind }) => kind === 'ask');
    expect(asking).to.have.lengthOf(forms.length);
    let connects = 0;
    const refusing = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        connects++;
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      });
    });
    refusing.listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    cleanup.add(refusing, async () => void refusing.close());
    const address = refusing.address();
    const port = typeof address === 'object' ? address?.port : 0;
    for (const { code } of asking)
      for (const [url, env, remedy] of [
        [
          'https://a.test',
          { HTTPS_PROXY: `http://127.0.0.1:${port}` },
          /^\S+: curl: .* HTTPS_PROXY$/,
        ],
        [`https://127.0.0.1:${port}`, {}, /^\S+: curl: \(35\) .* set SSL_CERT_FILE/],
      ] as const) {
        connects = 0;
        const file = join(await cleanup.makeFolder('lines'), 'lines.sh');
        await writeFile(file, code.replaceAll(baseUrl, url));
        const outcome = await runProgramFile(file, [], {
          env: { ARTIST_API_KEY: 'aik_x', ...env },
        });
        expect([outcome.code, outcome.stdout, connects]).to.deep.equal([1, '', 1]);
        expect(outcome.errors.join('\n')).to.match(remedy);
      }
  });

  it('have the key in no command line while `ask` waits', async () => {
    const asking = readPrograms().filter(({ kind }) => kind === 'ask');
    expect(asking).to.have.lengthOf(forms.length);
    for (const { form, code } of asking) {
      const key = `aik_${randomUUID()}`;
      const asked: (string | undefined)[] = [];
      let commandLines = '';
      const server = await openLocalServer(async ({ headers }, response) => {
        asked.push(headers.authorization);
        commandLines += await readCommandLines();
        const isFirst = asked.length === 1;
        response.writeHead(isFirst ? 503 : 200, isFirst ? { 'Retry-After': '1' } : {});
        response.end(bodyOf(form, 2, null));
      });
      const file = join(await cleanup.makeFolder('lines'), 'lines.sh');
      await writeFile(file, code.replaceAll(baseUrl, server.url));
      const outcome = await runProgramFile(file, [], { env: { ARTIST_API_KEY: key } });
      server.close();
      expect(outcome.code).to.equal(0);
      expect(asked, 'a retry').to.deep.equal([`Bearer ${key}`, `Bearer ${key}`]);
      expect(commandLines)
        .to.match(/^curl .*--retry/m)
        .and.not.include(key);
    }
  });
});
