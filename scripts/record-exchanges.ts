import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { formNames } from '../src/domain/caller.ts';
import { exchangeFile, type GoldenExchange, replay } from '../test/support/exchanges.ts';
import { exchangeCases } from '../test/support/forms/exchange-cases.ts';

/** Writes every golden exchange anew from the cases. What it writes is to be read before it is kept. */
for (const form of formNames) {
  const folder = dirname(exchangeFile(form, ''));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const exchange of exchangeCases) {
    const { request, as } = exchange[form];
    const { status, headers, text } = await replay({ request, as });
    const golden: GoldenExchange = { request, as, status, headers, body: text === '' ? null : JSON.parse(text) };
    writeFileSync(exchangeFile(form, exchange.name), `${JSON.stringify(golden, null, 2)}\n`);
  }
}
