import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { addDays, dayOf } from '../../src/domain/day.ts';
import { readCommandLines } from '../support/child-process.ts';
import { useCleanup } from '../support/cleanup.ts';
import { openLocalServer } from '../support/partners/local-server.ts';
import { startProgram } from '../support/partners/programs.ts';
import { filledTexts } from '../support/reference.ts';
import { site } from '../support/site.ts';

const baseUrl = 'http://lines.test';
const texts = filledTexts(site, { baseUrl, sandboxUrl: baseUrl });

/** Lines for a shell, as a reader copies them. */
interface Program {
  readonly form: string;
  readonly title: string;
  readonly code: string;
  /** The function of the page that they call, `copy`, `download`, `poll`, or `curl` alone. */
  readonly kind: string;
  /** True if one function made them and other lines, which meet all situations. */
  readonly isLikeOthers: boolean;
}

const kindOf = (code: string): string => {
  if (code.includes('while :')) return 'poll';
  if (code.includes('&& mv')) return 'copy';
  if (code.includes('curl -sSfLO')) return 'download';
  return ['list', 'pages', 'ask'].find((name) => code.includes(`\n${name} '`)) ?? 'curl';
};

const blocksIn = (text: string): readonly string[] =>
  [...text.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, code = '']) => code);

/** All lines of the pages that request the service. */
const allPrograms: readonly Program[] = [...texts]
  .filter(([path]) => path.endsWith('.md') && path.startsWith('/docs'))
  .flatMap(([path, text]) =>
    text.split('\n## ').flatMap((chapter) =>
      blocksIn(chapter)
        .filter((code) => code.includes(baseUrl))
        .map((code) => ({
          form: path.startsWith('/docs/variant') ? 'variant' : 'current',
          title: chapter.split('\n')[0] ?? '',
          ...{ code, kind: kindOf(code) },
          isLikeOthers: path.includes('/endpoints/') && !path.endsWith('/artists.md'),
        })),
    ),
  );
const isNotice = ({ title }: Program): boolean => title === 'Watch for the end date';
const programs = allPrograms.filter((program) => !isNotice(program));
const programsOf = (kind: string): readonly Program[] => {
  const found = programs.filter((program) => program.kind === kind);
  expect(found).to.not.have.lengthOf(0);
  return found;
};

/** A page of the current form with a cursor, or a list of the variant form. */
const bodyOf = (form: string, artists: number, cursor: string | null, lastTier = 'watch') => {
  const data = Array.from({ length: artists }, (_, index) => ({
    ...{ id: `${cursor}-${index}`, name: '"count":200,"tier":"watch"' },
    tier: index < artists - 1 ? 'watch' : lastTier,
  }));
  const current = { data, meta: { count: artists, next_cursor: cursor } };
  return JSON.stringify(form === 'current' ? current : { success: true, count: artists, data });
};

/** A response, or what happens to the connection. */
interface Answer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string;
  readonly ends?: 'before the head' | 'in the body';
}
const whole = (form: string): Answer => ({ status: 200, body: bodyOf(form, 2, null) });
const refusal = '{"error":{"code":"from_the_test","message":"Wait.","request_id":"r-1"}}';
const refused = (status: number, retryAfter: string): Answer => ({
  ...{ status, body: refusal, retryAfter },
});
const firstPage = (form: string): Answer => ({
  status: 200,
  body: form === 'current' ? bodyOf(form, 2, 'second') : bodyOf(form, 200, null),
});

interface Asked {
  readonly form: string;
  readonly url: string;
  readonly turn: number;
  readonly isSecondPage: boolean;
}
/** Exit code, what is shown, and the reason, by kind of lines and where they differ by form. */
type Expected = Readonly<Record<string, string>>;
interface Situation {
  readonly name: string;
  /** The first line, after the prelude. */
  readonly setup?: string;
  readonly answer: (asked: Asked) => Answer;
  readonly expected: Expected;
}

/** What `ask` and all that is made of it do without a whole 200. */
const failing = (curl: string, why: string): Expected => ({
  ...{ curl, download: curl.replace('the refusal', 'nothing') },
  ...Object.fromEntries(
    ['ask', 'pages', 'list', 'copy'].map((kind) => [kind, `1, nothing: ${why}`]),
  ),
  poll: `asks again, nothing: ${why}`,
});
/** What they do with a whole response at last; `curl` alone shows the first. */
const succeeding = (curl: string): Expected => ({
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
  ...Object.entries({ watch: '0, all: cut at 200', other: '1, nothing: cut at 200' }).map(
    ([lastTier, copy]): Situation => ({
      name: `200 unsigned artists, the last of the tier ${lastTier}`,
      answer: ({ form, url }) =>
        url.endsWith('limit=200&signed=false')
          ? { status: 200, body: bodyOf(form, 200, null, lastTier) }
          : whole(form),
      expected: { ...succeeding('0, all'), 'variant copy': copy },
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
  ...[refused(429, '3600'), refused(503, '1'), { status: 404, body: refusal }].map(
    (answer): Situation => ({
      name: `${answer.status}`,
      answer: () => answer,
      expected: failing(`22, the refusal: ${answer.status}`, `${answer.status}`),
    }),
  ),
  ...[429, 503].map(
    (status): Situation => ({
      name: `${status} once`,
      answer: ({ form, turn }) => (turn === 0 ? refused(status, '1') : whole(form)),
      expected: succeeding(`22, the refusal: ${status}`),
    }),
  ),
  {
    name: '429 at the second page',
    answer: ({ form, isSecondPage }) => (isSecondPage ? refused(429, '3600') : firstPage(form)),
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
    name: 'cut in the body',
    answer: ({ form }) => ({ ...whole(form), ends: 'in the body' }),
    expected: failing('18, a part: curl: (18)', 'curl: (18)'),
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
    name: 'HTML',
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
    // in a shell that continues after a failure; nothing requests the second page
    name: 'a full standard output',
    setup: 'set +e; exec > /dev/full; ln -s /dev/full shortlist.$$\n',
    answer: ({ form, isSecondPage }) =>
      isSecondPage ? refused(429, '3600') : (form === 'current' ? firstPage : whole)(form),
    expected: {
      ...failing('23, nothing: curl: (23)', 'write error'),
      download: '0, all', // into a file
    },
  },
];

/** One retry instead of four, no pause but `Retry-After`, and 77 after two turns of a loop. */
const prelude = `curl() {
  case " $* " in *" --retry 4 "*) set -- "$@" --retry 1 ;; esac
  command curl --retry-delay 1 "$@"
}
turns=0
sleep() { turns=$((turns + 1)); [ $turns -lt 2 ] || exit 77; }
`;

const reasons =
  /\b(?:302|304|404|429|503)$|\b(?:cut at 200|not a page of a list|not a list|write error|names itself as the next one)\b/gm;

/** The last reason on standard error, the status before curl's own message. */
const reasonIn = (errors: string): string =>
  errors.match(reasons)?.at(-1) ?? /curl: \(\d+\)/.exec(errors)?.[0] ?? '';

/** Situations that all lines meet every day. */
const daily = ['200', '304', '429', '503', 'cut in the body', 'connection lost'];
const runsAll = process.env['EXAMPLE_RUNS'] === 'all';

describe('the shell lines of the pages', () => {
  const cleanup = useCleanup(afterEach);

  /** Runs lines in a folder of their own, against a server that answers as given. */
  const run = async (
    code: string,
    answer: RequestListener,
    { begin = prelude, env = {} as Readonly<Record<string, string>>, commands = {} } = {},
  ) => {
    const urls: string[] = [];
    const { url } = await openLocalServer(cleanup, (request, response) => {
      urls.push(request.url ?? '');
      answer(request, response);
    });
    const cwd = await cleanup.makeFolder('lines');
    await mkdir(join(cwd, 'bin'));
    for (const [name, text] of Object.entries({ npm: '#!/bin/sh\n', ...commands }))
      await writeFile(join(cwd, 'bin', name), `${text}`, { mode: 0o755 });
    const file = join(cwd, 'bin/lines.sh');
    await writeFile(file, begin + code.replaceAll(baseUrl, url));
    const PATH = `${cwd}/bin:${process.env['PATH']}`;
    const place = { PATH, HOME: cwd, ARTIST_API_KEY: 'aik_x', LC_ALL: 'C', ...env };
    const { code: exit, stdout, errors } = await startProgram(file, [], { cwd, env: place }).ended;
    return { exit, stdout, errors: errors.map((line) => line.trim()), urls, cwd };
  };

  /** A cell of the table. */
  const cellOf = async (
    { form, code }: Program,
    { setup = '', answer }: Situation,
  ): Promise<string> => {
    const answered: Answer[] = [];
    const outcome = await run(
      code,
      ({ url = '' }, response) => {
        const isSecondPage = url.includes('cursor=second');
        const one = answer({ form, url, turn: answered.length, isSecondPage });
        answered.push(one);
        if (one.ends === 'before the head') return void response.destroy();
        const { status, body, retryAfter } = one;
        response.writeHead(status, {
          'Content-Length': Buffer.byteLength(body),
          ...(retryAfter && { 'Retry-After': retryAfter }),
          ...(status === 302 && { Location: '/elsewhere' }),
        });
        if (one.ends === undefined) response.end(body);
        else response.write(body.slice(0, -20), () => response.destroy());
      },
      { begin: prelude + setup },
    );
    let shown = outcome.stdout;
    const entries = await readdir(outcome.cwd, { recursive: true, withFileTypes: true });
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
    const part = shown.trim() === '' ? 'nothing' : 'a part';
    const what = isAll ? 'all' : shown.includes(refusal) ? 'the refusal' : part;
    const why = reasonIn(outcome.errors.join('\n'));
    const hasPart = entries.some((entry) => entry.isFile() && /^shortlist\.\d+$/.test(entry.name));
    const exit = outcome.exit === 77 ? 'asks again' : outcome.exit;
    return `${exit}, ${what}${hasPart ? ', a part left' : ''}${why && `: ${why}`}`;
  };

  it('print a whole result, or end with a code and a reason', async () => {
    expect(programs).to.have.lengthOf.above(20);
    /** By day lines that are not like others meet the daily situations and one more. */
    const isRun = (program: Program, turn: number, name: string, index: number): boolean =>
      daily.includes(name) || (!program.isLikeOthers && index === turn % situations.length);
    const waiting = programs.flatMap((program, turn) =>
      situations
        .filter(({ name }, index) => runsAll || isRun(program, turn, name, index))
        .map((situation) => ({ program, situation })),
    );
    const wrong: string[] = [];
    const work = async (): Promise<void> => {
      for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
        const { form, kind, title } = row.program;
        const { name, expected } = row.situation;
        const cell = await cellOf(row.program, row.situation);
        const right = expected[`${form} ${kind}`] ?? expected[kind];
        if (cell !== right)
          wrong.push(`${form} ${title} (${kind}), ${name}: ${cell}, not ${right}`);
      }
    };
    await Promise.all(Array.from({ length: 24 }, work));
    expect(wrong).to.deep.equal([]);
  }).timeout(180_000);

  for (const [name, target, artists, expected] of [
    ['list', '/api/v1/artists?tier=watch', 100, '1, nothing, 0 asked: set limit=200'],
    ['list', '/api/v1/artists?tier=watch&limit=200', 199, '0, all, 1 asked'],
    ['list', '/api/v1/signings', 200, '0, all, 1 asked'],
    ['pages', '/api/v1/added?days=7', 100, '1, nothing, 0 asked: only /api/v1/artists has pages'],
    ['pages', '/api/v1/artists', 2, '0, all, 1 asked, as /api/v1/artists?limit=100'],
  ] as const)
    it(`end with a reason if \`${name}\` cannot return a whole list: ${target}`, async () => {
      const [{ form, code } = { form: '', code: '' }] = programsOf(name);
      const body = bodyOf(form, artists, null);
      const called = code.replace(new RegExp(`^${name} '.*'$`, 'm'), `${name} '${target}'`);
      const { exit, stdout, errors, urls } = await run(called, (_, response) => response.end(body));
      const shown = stdout.trim() === body ? 'all' : stdout === '' ? 'nothing' : 'a part';
      const why = errors.map((line) => `: ${line.replace(`${target}: `, '')}`);
      const others = urls.filter((url) => url !== target).map((url) => `, as ${url}`);
      const outcome = `${exit}, ${shown}, ${urls.length} asked${others.join('')}${why.join('')}`;
      expect(outcome).to.equal(expected);
    });

  it('request artists since yesterday with a `date` of POSIX, as in Alpine', async () => {
    const date = `#!/bin/sh
for one; do case $one in -u | +*) ;; *) exit 1 ;; esac; done
PATH='${process.env['PATH']}' exec date "$@"
`;
    const polling = programs.filter(({ code }) => code.includes('added_since='));
    expect(polling).to.not.have.lengthOf(0);
    for (const { code } of polling) {
      const yesterday = () => addDays(dayOf(Date.now()), -1);
      const before = yesterday();
      const body = bodyOf('current', 1, null);
      const commands = { date };
      const { urls } = await run(code, (_, response) => response.end(body), { commands });
      expect(urls).to.have.lengthOf(2);
      for (const url of urls)
        expect(/added_since=(.*)$/.exec(url)?.[1]).to.be.oneOf([before, yesterday()]);
    }
  });

  it('have no comment, which an interactive zsh would run', async () => {
    const operators = 'commands comparing deploying importing migrating-partners operating';
    const guides = ['README.md', ...operators.split(' ').map((name) => `docs/${name}.md`)];
    const documents = new Map([...texts].filter(([path]) => path.endsWith('.md')));
    for (const guide of guides) documents.set(guide, await readFile(guide, 'utf8'));
    for (const path of ['/docs.md', '/docs/guides.md', '/docs/migration.md', ...guides])
      expect(blocksIn(documents.get(path) ?? ''), path).to.not.have.lengthOf(0);
    for (const [path, text] of documents)
      for (const code of blocksIn(text)) expect(code, path).to.not.match(/(?:^|[\s;])#/);
    const [before = ''] = (await readFile('docs/contributing.md', 'utf8')).split('```sh', 1);
    expect(before, 'its blocks have comments').to.include('setopt interactive_comments');
  });

  it('try an untrusted certificate or a refusing proxy once', async () => {
    let connects = 0;
    const refusing = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        connects++;
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      });
    });
    await once(refusing.listen(0, '127.0.0.1'), 'listening');
    cleanup.add(refusing, async () => void refusing.close());
    const port = Object(refusing.address()).port;
    const proxy = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
    for (const { code } of programsOf('ask'))
      for (const [url, env, remedy] of [
        ['https://a.test', proxy, /^\S+: curl: .* HTTPS_PROXY$/],
        [`https://127.0.0.1:${port}`, {}, /^\S+: curl: \(35\) .* set SSL_CERT_FILE/],
      ] as const) {
        connects = 0;
        const lines = code.replaceAll(baseUrl, url);
        const { exit, stdout, errors } = await run(lines, () => {}, { begin: '', env });
        expect([exit, stdout, connects]).to.deep.equal([1, '', 1]);
        expect(errors.join('\n')).to.match(remedy);
      }
  });

  it('keep the key out of command lines', async () => {
    const key = 'aik_ofTheShellLines';
    for (const { form, code } of [...programsOf('ask'), ...allPrograms.filter(isNotice)]) {
      const asked: (string | undefined)[] = [];
      let commandLines = '';
      await run(
        code,
        async ({ headers }, response) => {
          asked.push(headers.authorization);
          commandLines += await readCommandLines();
          const isFirst = asked.length === 1;
          response.writeHead(isFirst ? 503 : 200, isFirst ? { 'Retry-After': '1' } : {});
          response.end(bodyOf(form, 2, null));
        },
        { begin: '', env: { ARTIST_API_KEY: key } },
      );
      expect(new Set(asked)).to.deep.equal(new Set([`Bearer ${key}`]));
      expect(commandLines)
        .to.match(/^curl .*--(?:retry|max-time)/m)
        .and.not.include(key);
    }
  });

  const announced = { Deprecation: '@1767225600', Sunset: 'Wed, 30 Jun 2027 00:00:00 GMT' };
  for (const [what, status, headers, reason, key = 'aik_x'] of [
    ['print both headers', 200, announced],
    ['print nothing without an announcement', 200, {}],
    ['remove a line end after the key', 200, {}, undefined, 'aik_x\r'],
    ['fail after a lost connection', 0, {}, /./],
    ['fail after a timeout', undefined, {}, /./],
    ['follow no redirect', 302, { Location: '/elsewhere' }, /302.*\/elsewhere/],
    [
      'reject a malformed key without printing it',
      ...([401, {}, /^(?!.*aik_x).*status 401/, 'aik_x\n\u0007y'] as const),
    ],
  ] as readonly [string, number | undefined, Readonly<Record<string, string>>, RegExp?, string?][])
    it(`watch for the end date: ${what}`, async () => {
      const { code = '' } = allPrograms.find(isNotice) ?? {};
      const sent: (string | undefined)[] = [];
      const { exit, stdout, errors, cwd } = await run(
        code.replace('--max-time 30', '--max-time 1'),
        (request, response) => {
          sent.push(request.headers.authorization);
          if (status === 0) response.destroy();
          else if (status !== undefined) response.writeHead(status, headers).end('{}');
        },
        { begin: '', env: { ARTIST_API_KEY: key } },
      );
      expect(await readdir(cwd), 'writes no file').to.deep.equal(['bin']);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      if (reason === undefined)
        expect([exit, errors, stdout, sent]).to.deep.equal([0, lines, '', ['Bearer aik_x']]);
      else {
        expect(exit).to.not.equal(0);
        expect(errors.join(' ') + stdout).to.match(reason);
        expect(sent.length).to.be.at.most(1);
      }
    });
});
