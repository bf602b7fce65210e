import { systemClock } from '../../src/runtime/clock.ts';
import { end, parseArguments, run, Service, SettingError } from '../shared/http.ts';
import { readCalls } from './calls.ts';
import { check } from './check.ts';
import { readGiven } from './given.ts';
import { serve } from './serve.ts';
import { fields, fieldsNamed } from './without.ts';

const program = 'artist-gateway.mjs';

const usage = `node ${program} serve --ids FILE --labels FILE [options]
node ${program} check CALLS --ids FILE --labels FILE [options]
node ${program} sandbox [--port N] [--at TIME]

"serve" serves programs of this machine in the variant form, from a copy that it loads in the current
form. "check" compares both forms over the calls in a file: a path with its query per line, and perhaps
the new call or "-" after it. "sandbox" is the service with an example catalogue and demo keys.

  --ids FILE          the list of identifiers: CSV with the columns variant and current
  --labels FILE       the labels in _meta.labels_tracked, one per line
  --partner NAME      the name in _meta.authenticated_as
  --base-url URL      address of the service, else the variable ARTIST_API_URL
  --wait              check: wait for the quota, however long it takes
  --port N            the port to listen on (serve: 8081, sandbox: 3000)
  --host ADDRESS      the address or name to listen on (127.0.0.1)
  --record FILE       serve: write path and query of each request there, once
  --without FIELD     serve: leave a field out; may be repeated
  --list-fields       print the fields, and end
  --at TIME           sandbox: its clock, like 2026-08-22T12:00Z

The key is read from the variable ARTIST_API_KEY.`;

const readPort = (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new SettingError('--port takes a number up to 65535.');
};

const main = async (): Promise<void> => {
  const { positionals, values } = parseArguments({
    ids: { type: 'string' },
    labels: { type: 'string' },
    partner: { type: 'string' },
    'base-url': { type: 'string' },
    wait: { type: 'boolean' },
    port: { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    record: { type: 'string' },
    without: { type: 'string', multiple: true, default: [] },
    'list-fields': { type: 'boolean' },
    at: { type: 'string' },
    help: { type: 'boolean' },
  });
  const [command, calls, ...others] = positionals;
  const { ids, labels, partner = 'partner', wait, port, host, record, without } = values;
  if (values.help) return console.log(usage);
  if (values['list-fields']) return console.log(fields.join('\n'));
  if (command === 'sandbox' && calls === undefined) {
    const { startSandbox } = await import('./sandbox.ts');
    return startSandbox(host, readPort(port ?? '3000'), values.at);
  }
  const isCheck = command === 'check' && calls !== undefined && others.length === 0;
  if (!isCheck && (command !== 'serve' || calls !== undefined))
    return end('Give serve, sandbox, or check and a file. See --help.');
  if (ids === undefined || labels === undefined) return end('Give --ids and --labels. See --help.');
  const unknown = without.find((name) => fieldsNamed(name).length === 0);
  if (unknown !== undefined)
    throw new SettingError(`There is no field ${unknown}: see serve --list-fields.`);
  const service = new Service(program, {
    url: values['base-url'],
    wait: wait === true || !isCheck, // programs never wait for a load of `serve`
    headers: { 'X-Envelope': 'current' }, // for a key of the variant form that may choose
  });
  const given = readGiven(ids, labels);
  if (!isCheck) {
    const options = { service, given, partner, host, without, record, clock: systemClock() };
    return serve({ ...options, port: readPort(port ?? '8081') });
  }
  const exempt = ['message', 'generated_at', '_meta.timestamp'];
  if (values.partner === undefined) exempt.push('_meta.authenticated_as');
  const print = console.log;
  const isEqual = await check(readCalls(calls), { service, given, partner, exempt, print });
  process.exitCode = isEqual ? 0 : 1;
};

await run(main);
