import { writeFileSync } from 'node:fs';
import { formNames } from '../adapters/forms/forms.ts';
import {
  exchangeFile,
  exchangeNames,
  type GoldenExchange,
  readExchangeToRecord,
  replayExchange,
} from '../test/support/exchanges.ts';

type Headers = GoldenExchange['headers'];

/**
 * Headers in the order of the previous recording, new ones last: their order means nothing, and must
 * not show in a diff.
 */
const inFormerOrder = (headers: Headers, previous: Headers = {}): Headers => {
  const names = new Set([...Object.keys(previous), ...Object.keys(headers)]);
  return Object.fromEntries(
    [...names].flatMap((name) => (name in headers ? [[name, headers[name] ?? '']] : [])),
  );
};

/**
 * Sends the request of every golden exchange again, and records the response. Throws for a 5xx
 * that was not recorded before: write the expected status into its file. Review the diff before
 * you commit it.
 */
for (const form of formNames) {
  for (const name of exchangeNames(form)) {
    const { request, as, status: expected, headers: previous } = readExchangeToRecord(form, name);
    const { status, headers: sent, text } = await replayExchange({ request, as });
    if (status >= 500 && status !== expected)
      throw new Error(`${form}/${name} is answered ${status}: not recorded. ${text}`);
    const headers = inFormerOrder(sent, previous);
    const golden: GoldenExchange = {
      request,
      as,
      status,
      headers,
      body: text === '' ? null : JSON.parse(text),
    };
    writeFileSync(exchangeFile(form, name), `${JSON.stringify(golden, null, 2)}\n`);
  }
}
