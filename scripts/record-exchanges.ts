import { writeFileSync } from 'node:fs';
import { formNames } from '../adapters/forms/forms.ts';
import {
  exchangeFile,
  exchangeNames,
  type GoldenExchange,
  readExchangeToRecord,
  replayExchange,
} from '../test/support/exchanges.ts';

/**
 * Sends the request of every golden exchange again, and records the response. Throws for a new 5xx:
 * write the expected status into its file. Review the diff before you commit it.
 */
for (const form of formNames) {
  for (const name of exchangeNames(form)) {
    const { request, as, status: expected, headers: previous } = readExchangeToRecord(form, name);
    const { status, headers: sent, text } = await replayExchange({ request, as });
    if (status >= 500 && status !== expected)
      throw new Error(`${form}/${name} is answered ${status}: not recorded. ${text}`);
    const headers = Object.fromEntries(
      Object.entries({ ...previous, ...sent }).filter(([name]) => name in sent), // in the old order
    );
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
