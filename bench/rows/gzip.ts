import { until } from '../../test/support/wait.ts';
import { ask, gzipped, type Recorded } from '../answers.ts';
import { compare, rateLine } from '../load/compare.ts';
import type { Row } from '../row.ts';
import { startPaged } from './gateways.ts';

export const gzip: Row = async (bench) => {
  const gateway = await startPaged(bench);
  const requests = gateway.requests.map((request) => ({
    ...gzipped(request),
    maxLength: Math.floor((request.length ?? 0) / 2), // an uncompressed page fails the row
  }));
  let answers: readonly Recorded[] = [];
  await until('every page is sent with Content-Encoding: gzip', async () => {
    answers = await Promise.all(
      requests.map(({ path, headers }) => ask(gateway.url, path, headers)),
    );
    // it deflates in the background
    return answers.every((answer) => answer.headers.get('content-encoding') === 'gzip');
  });
  const seen = await compare(
    bench,
    { ...gateway, name: 'gzip', requests },
    { ...gateway, name: 'identity' },
  );
  const sent = answers.reduce(
    (sum, answer) => sum + Number(answer.headers.get('content-length')),
    0,
  );
  const whole = gateway.recorded.reduce((sum, { body }) => sum + body.length, 0);
  const what = 'page of 50 to a client that accepts gzip, against the same uncompressed';
  return [
    rateLine(what, seen, { atLeast: 1 }, [`${Math.round((sent / whole) * 100)} % of the bytes`]),
  ];
};
