import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { comparedForms } from '../src/crosswalk/forms.ts';
import { exchangeFile, type GoldenExchange, replayExchange } from '../test/support/exchanges.ts';
import { exchangeCases } from '../test/support/forms/exchange-cases.ts';

/** Records every golden exchange again from the cases. Review the diff before you commit it. */
for (const form of comparedForms) {
  const folder = dirname(exchangeFile(form, ''));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const exchange of exchangeCases) {
    const { request, as } = exchange[form];
    const { status, headers, text } = await replayExchange({ request, as });
    const golden: GoldenExchange = { request, as, status, headers, body: text === '' ? null : JSON.parse(text) };
    writeFileSync(exchangeFile(form, exchange.name), `${JSON.stringify(golden, null, 2)}\n`);
  }
}
