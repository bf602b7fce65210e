import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { comparedForms } from '../src/crosswalk/forms.ts';
import {
  exchangeFile,
  exchangeNames,
  type GoldenExchange,
  readExchange,
  replayExchange,
} from '../test/support/exchanges.ts';
import { exchangeCases } from '../test/support/forms/exchange-cases.ts';

type Headers = GoldenExchange['headers'];

/** Headers in the order of the former recording, new ones last: their order means nothing, and must not show in a diff. */
const inFormerOrder = (headers: Headers, former: Headers = {}): Headers => {
  const names = new Set([...Object.keys(former), ...Object.keys(headers)]);
  return Object.fromEntries([...names].flatMap((name) => (name in headers ? [[name, headers[name] ?? '']] : [])));
};

/** Records every golden exchange again from the cases. Review the diff before you commit it. */
for (const form of comparedForms) {
  const former = new Map(exchangeNames(form).map((name) => [name, readExchange(form, name).headers]));
  const folder = dirname(exchangeFile(form, ''));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const exchange of exchangeCases) {
    const { request, as } = exchange[form];
    const { status, headers: sent, text } = await replayExchange({ request, as });
    const headers = inFormerOrder(sent, former.get(exchange.name));
    const golden: GoldenExchange = { request, as, status, headers, body: text === '' ? null : JSON.parse(text) };
    writeFileSync(exchangeFile(form, exchange.name), `${JSON.stringify(golden, null, 2)}\n`);
  }
}
