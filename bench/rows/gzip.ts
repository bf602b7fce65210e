import { spawnSync } from 'node:child_process';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { bearer, parsePage, type Recorded } from '../answers.ts';
import { compare, formatComparison } from '../load/compare.ts';
import { atLeast, type Line, type Row } from '../row.ts';
import { type PagedGateway, startPaged } from './pages.ts';

const what = 'page of 50 to a client that accepts gzip, against the same uncompressed';

interface Raw {
  readonly encoding: string | undefined;
  readonly bytes: Buffer;
}

/** A GET whose body is left as it came over the wire. */
const askRaw = (url: string, headers: Readonly<Record<string, string>>): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      buffer(response).then((bytes) => resolve({ encoding: response.headers['content-encoding'], bytes }), reject);
    });
    sent.on('error', reject).end();
  });

const python = `import gzip,sys,zlib
raw=sys.stdin.buffer.read()
one=zlib.decompressobj(31)
text=one.decompress(raw)
assert one.eof and one.unused_data==b'', 'more than one member'
assert text==gzip.decompress(raw)
sys.stdout.buffer.write(text)`;

/** Other programs that read gzip. Each prints the text, or only checks. */
const readers: readonly (readonly [name: string, command: string, args: readonly string[], checksOnly: boolean])[] = [
  ['gzip -t', 'gzip', ['-t'], true],
  ['Python, and one member only', 'python3', ['-c', python], false],
];

/** Throws when one of them cannot read it, or reads something else. */
const assertReadable = ({ bytes }: Raw, ours: Recorded): void => {
  const text = gunzipSync(bytes);
  const same = JSON.stringify(parsePage(text).data) === JSON.stringify(parsePage(ours.body).data);
  if (!same || text.length !== ours.body.length) throw new Error(`${ours.path}: other text when compressed`);
  for (const [name, command, args, checksOnly] of readers) {
    const { status, stdout, stderr } = spawnSync(command, args, { input: bytes, maxBuffer: 2 ** 26 });
    if (status !== 0) throw new Error(`${ours.path}: ${name} cannot read it: ${String(stderr)}`);
    if (!checksOnly && !stdout.equals(text)) throw new Error(`${ours.path}: ${name} reads something else`);
  }
};

const missing: Line = {
  what,
  goal: '≥ 1×',
  figure: 'no Content-Encoding: gzip',
  met: false,
  notes: ['at least one of the pages was still sent as it is'],
};

const askCompressed = ({ url, recorded }: PagedGateway, headers: Readonly<Record<string, string>>): Promise<Raw[]> =>
  Promise.all(recorded.map(({ path }) => askRaw(url + path, headers)));

/** The gateway compresses in the background; it has this long until all pages are compressed. */
const timeoutMs = 20_000;

const untilCompressed = async (
  gateway: PagedGateway,
  headers: Readonly<Record<string, string>>,
): Promise<readonly Raw[] | undefined> => {
  const begin = performance.now();
  while (performance.now() - begin < timeoutMs) {
    const answers = await askCompressed(gateway, headers);
    if (answers.every(({ encoding }) => encoding === 'gzip')) return answers;
    await wait(250);
  }
  return undefined;
};

export const gzip: Row = {
  name: 'gzip',
  async measure(bench) {
    const gateway = await startPaged(bench);
    const headers = { ...bearer(bench.keys.current), 'Accept-Encoding': 'gzip' };
    const answers = await untilCompressed(gateway, headers);
    if (answers === undefined) return [missing];
    for (const [index, ours] of gateway.recorded.entries()) {
      const raw = answers[index];
      if (raw !== undefined) assertReadable(raw, ours);
    }
    const requests = gateway.requests.map(({ path, status, length = 0 }) => ({
      path,
      status,
      headers,
      maxLength: Math.floor(length / 2), // an uncompressed page fails the row
    }));
    const seen = await compare(
      bench.generator,
      { ...gateway, name: 'gzip', requests },
      { ...gateway, name: 'identity' },
      bench.options,
    );
    const [sum, whole] = [
      answers.reduce((sum, { bytes }) => sum + bytes.length, 0),
      gateway.recorded.reduce((sum, { body }) => sum + body.length, 0),
    ];
    return [
      atLeast(what, 1, '×', seen.rateRatio, [
        ...formatComparison(seen),
        `${Math.round((sum / whole) * 100)} % of the bytes; read by Node's zlib, ${readers.map(([name]) => name).join(', ')}`,
      ]),
    ];
  },
};
