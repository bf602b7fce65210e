import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoKey } from '../../test/support/documents.ts';
import { startGatewayProcess } from '../../test/support/gateway-process.ts';

// Makes clients of both contracts with generators that nobody here wrote, compiles them, and lets
// each read a running gateway. `./scripts/test.sh generators` installs what it needs. The programs
// beside this one print a line a question; the lines are compared with what the gateway answers to
// plain requests. Prints the table of docs/site/tools.md.

/** Seconds that making, compiling or running one client may take. */
const patience = 600;

interface Generator {
  readonly name: string;
  /**
   * Makes the clients `current` and `variant` in a folder of its own, from `../current.json` and
   * `../variant.json`.
   */
  readonly make: string;
  /** Asks the gateway at `$URL` in the form `$FORM`. */
  readonly ask: string;
}

const both = (command: string): string => `for FORM in current variant; do ${command}; done`;

const openApiGenerator = (language: string, options: string): string =>
  both(`openapi-generator-cli generate --input-spec ../$FORM.json --generator-name ${language} ${options} \
    --global-property apiTests=false,modelTests=false,apiDocs=false,modelDocs=false`);

const goProgram = (program: string, ...modules: readonly string[]): string =>
  `go mod init clients; for MODULE in ${modules.join(' ')}; do go get $MODULE; done; \
   cp $HERE/${program} program.go; go mod tidy; go build -o program .`;

const generators: readonly Generator[] = [
  {
    name: 'openapi-generator 7.26.0, Python',
    make: openApiGenerator('python', '--package-name "$FORM"_client --output $FORM'),
    ask: 'PYTHONPATH=$FORM python $HERE/openapi-generator.py $FORM $URL',
  },
  {
    name: 'openapi-generator 7.26.0, Java (`native`)',
    make: `${openApiGenerator('java', '--library native --output . --invoker-package clients.$FORM --api-package clients.$FORM.api --model-package clients.$FORM.model')}
      cp $HERE/Program.java src/main/java/
      mvn --quiet --batch-mode compile dependency:build-classpath -Dmdep.outputFile=classpath`,
    ask: 'java -cp "target/classes:$(cat classpath)" Program $FORM $URL',
  },
  {
    name: 'openapi-generator 7.26.0, Go',
    make: `${openApiGenerator('go', '--package-name $FORM --output $FORM --additional-properties withGoMod=false')}
      ${goProgram('openapi-generator.go', 'gopkg.in/validator.v2@v2.0.1')}`,
    ask: './program $FORM $URL',
  },
  {
    name: 'openapi-generator 7.26.0, TypeScript (`typescript-fetch`)',
    make: `${openApiGenerator('typescript-fetch', '--output $FORM')}; echo '{ "type": "module" }' > package.json; cp $HERE/typescript-fetch.ts program.ts`,
    ask: 'node --import $TSX program.ts $FORM $URL',
  },
  {
    name: 'openapi-python-client 0.29.1',
    make: both(
      'openapi-python-client generate --path ../$FORM.json --output-path "$FORM"_client --meta none',
    ),
    ask: 'PYTHONPATH=. python $HERE/openapi-python-client.py $FORM $URL',
  },
  {
    name: 'ogen 1.24.0, Go',
    make: `GOBIN=$PWD/bin go install github.com/ogen-go/ogen/cmd/ogen@v1.24.0
      ${both('bin/ogen --loglevel error --target $FORM --package $FORM --clean ../$FORM.json')}
      ${goProgram('ogen.go', 'github.com/ogen-go/ogen@v1.24.0')}`,
    ask: './program $FORM $URL',
  },
  {
    name: 'orval 8.38.0, TypeScript (`fetch`)',
    make: `echo '{ "type": "module" }' > package.json; npm install --no-audit --no-fund orval@8.38.0
      ${both('npx orval --input ../$FORM.json --output $FORM.ts --client fetch')}; cp $HERE/orval.ts program.ts`,
    ask: 'node --import $TSX program.ts $FORM $URL',
  },
];

/**
 * Runs commands of bash until one fails. Resolves with what they printed and whether all went well.
 */
const run = async (commands: string, cwd: string, env: Readonly<Record<string, string>>) => {
  const child = spawn(
    'timeout',
    ['--kill-after=5', String(patience), 'bash', '-euo', 'pipefail', '-c', commands],
    {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { isFine: code === 0, stdout, stderr };
};

const artist = 'art_7rf1ly';
const strangerKey = `aik_stranger1_${'x'.repeat(43)}0q8YmN`;

const keysOf = (form: 'current' | 'variant') => {
  const prefix = form.slice(0, 3);
  return {
    FULL: demoKey(form === 'current' ? 'qaCurrent' : 'qaVariant'),
    REVOKED: demoKey(`${prefix}Revoke`),
    LAST: demoKey(`${prefix}Last01`),
    UNKNOWN: strangerKey,
    ARTIST: artist,
  };
};

/** The lines that a client which reads everything prints, in alphabetical order. */
const expectedLines = async (
  form: 'current' | 'variant',
  url: string,
): Promise<readonly string[]> => {
  const read = async (path: string) => {
    const headers = { Authorization: `Bearer ${keysOf(form).FULL}` };
    const response = await fetch(`${url}/api/v1${path}`, { headers });
    if (response.status !== 200) throw new Error(`${path} answers ${response.status}`);
    return response.json();
  };
  const names = (list: readonly Record<string, string>[], member: string) =>
    list.map((one) => one[member]).join();
  const pointsOf = ({ history = {} }: { history?: object }): number =>
    Object.values(history).flat().length;
  const [spikes, signings] = [await read('/spikes?days=7'), await read('/signings')];
  const { data: artists } = await read('/artists?limit=100');
  const lines = {
    health: 'ok',
    artists: names(artists, 'id'),
    spikes: names(spikes.data, 'metric'),
    signings: names(signings.data, 'artist_name'),
    401: '401 unauthorized',
    revoked: '401 unauthorized',
    404: '404 not_found',
    429: '429 rate_limited',
  };
  if (form === 'variant') {
    const { count } = await read('/artists?fields=basic&signed=true');
    return Object.entries({ ...lines, basic: count })
      .map(([name, fact]) => `${name}: ${fact}`)
      .sort();
  }
  const { data: listed } = await read('/artists?limit=100&include=history');
  const { data: detail } = await read(`/artists/${artist}`);
  const more = {
    history: listed.map(pointsOf).reduce((sum: number, points: number) => sum + points, 0),
    artist: `${detail.history.monthly_listeners.length} ${detail.metrics.spotify_streams}`,
    added: (await read('/added?days=90')).data.length,
    400: '400 invalid_cursor',
  };
  return Object.entries({ ...lines, ...more })
    .map(([name, fact]) => `${name}: ${fact}`)
    .sort();
};

/** What a client of a form did not read as plain requests do; `nothing` when it read all. */
const missedBy = async (
  { ask }: Generator,
  form: 'current' | 'variant',
  url: string,
  cwd: string,
  env: Record<string, string>,
) => {
  const { stdout, stderr } = await run(ask, cwd, { ...env, ...keysOf(form), FORM: form, URL: url });
  const printed = stdout.trim().split('\n');
  const expected = await expectedLines(form, url);
  const missed = expected
    .filter((line) => !printed.includes(line))
    .map((line) => line.split(':')[0]);
  if (missed.length > 0)
    console.error(
      `${printed.filter((line) => !expected.includes(line)).join('\n')}\n${stderr.slice(-2000)}`,
    );
  return missed.join(', ');
};

const only = process.argv[2] ?? ''; // a part of a name: only those
const work = mkdtempSync(join(tmpdir(), 'generators-'));
const bin = join(work, 'venv', 'bin');
const env = {
  HERE: import.meta.dirname,
  PATH: `${bin}:${process.env['PATH']}`,
  TSX: import.meta.resolve('tsx'),
  GOFLAGS: '-mod=mod',
  OPENAPI_GENERATOR_LOG: 'error',
};
const gateway = await startGatewayProcess({});
const rows: string[] = [];
const requirements = join(import.meta.dirname, 'requirements.txt');
const installed = await run(
  `python3 -m venv venv; venv/bin/pip install --quiet --requirement ${requirements}`,
  work,
  {},
);
if (!installed.isFine) throw new Error(installed.stderr);
for (const [form, path] of [
  ['current', 'openapi.json'],
  ['variant', 'openapi.variant.json'],
] as const)
  writeFileSync(join(work, `${form}.json`), await (await fetch(`${gateway.url}/${path}`)).text());

for (const [index, generator] of generators.entries()) {
  if (!generator.name.includes(only)) continue;
  const folder = mkdtempSync(join(work, `${index}-`));
  const began = performance.now();
  const made = await run(generator.make, folder, env);
  const cells = made.isFine
    ? [
        await missedBy(generator, 'current', gateway.url, folder, env),
        await missedBy(generator, 'variant', gateway.url, folder, env),
      ]
    : ['makes no client that compiles', ''];
  if (!made.isFine) console.error(made.stdout.slice(-2000), made.stderr.slice(-4000));
  const told = cells.map((missed) => (missed === '' ? 'all' : `not ${missed}`));
  rows.push(`${generator.name} | ${made.isFine ? told.join(' | ') : cells.join(' | ')}`);
  console.log(`${rows.at(-1)} (${Math.round((performance.now() - began) / 1000)} s)`);
  if (cells.join('') !== '') process.exitCode = 1;
}
await gateway.stop();
rmSync(work, { recursive: true, force: true });
console.log(`\nGenerator | Current form | Variant form\n--- | --- | ---\n${rows.join('\n')}`);
