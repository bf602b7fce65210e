import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { forms } from '../adapters/forms/forms.ts';
import { factsOfForm } from '../src/domain/form-facts.ts';
import {
  addRelease,
  contractText,
  freezeContract,
  readCommittedContract,
  readCommittedLog,
  readContractLog,
  writeContractLog,
} from '../test/support/frozen-contracts.ts';
import { reportAffected } from '../tools/cli/contracts/check.ts';
import { compareContracts, describeChanges } from '../tools/contracts/changes.ts';
import { contractLog } from './pages/contract-log.ts';

/**
 * Rewrites the frozen contracts that differ from those that the code produces, and prints each
 * change since the last commit and whether it breaks clients. What partners notice becomes a
 * release on `/docs/changes`, with the sentence that is given, was given since that commit, or is
 * asked for. Run again, it publishes nothing that no commit had.
 *   npm run generate -- "Artists have a `genre`."
 *   npm run generate -- --breaks "…"      a change that breaks clients: refused without it
 *   npm run generate -- --not-news        compatible changes that the gateway's answers had before
 *   npm run generate -- --same-answers    another way to write what is answered: nothing breaks a client that runs
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    breaks: { type: 'boolean', default: false },
    'not-news': { type: 'boolean', default: false },
    'same-answers': { type: 'boolean', default: false },
  },
});

const fail = (reason: string): never => {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
};

const log = readCommittedLog();

const changed = forms.flatMap((form) => {
  const [frozen, text] = [readCommittedContract(form), contractText(form)];
  if (frozen === text) return [];
  const before: unknown = JSON.parse(frozen ?? text); // a new form is no change of a contract
  const changes = compareContracts(before, JSON.parse(text)).map((change) =>
    values['same-answers'] ? { ...change, breaks: false } : change,
  );
  for (const line of describeChanges(changes)) process.stdout.write(`${form.name}: ${line}\n`);
  return [{ form: form.name, text, news: changes }];
});
for (const { form: name, news } of changed) {
  const form = factsOfForm(forms, name);
  const before: unknown = JSON.parse(readCommittedContract(form) ?? contractText(form));
  await reportAffected({ form, before, changes: news }, { days: 30 });
}
process.exitCode = 0; // a person decides, with --breaks

if (changed.some(({ news }) => news.some(({ breaks }) => breaks)) && !values.breaks)
  fail('Not frozen. Make it compatible, or run it again with --breaks and a sentence.');

/** The sentence for partners; `undefined` when there is nothing that they notice. */
const askForSummary = async (): Promise<string | undefined> => {
  const news = changed.flatMap((each) => each.news);
  if (values['not-news'] && news.some(({ breaks }) => breaks))
    fail('A change that breaks clients is news: write a sentence.');
  const isNews = news.length > 0 || (changed.length > 0 && positionals[0] !== undefined); // a text may be news too
  if (!isNews || values['not-news']) return undefined;
  const given = readContractLog().releases.find(
    ({ id }) => !log.releases.some((release) => release.id === id),
  );
  const known = positionals[0] ?? given?.summary;
  if (known !== undefined) return known;
  if (!process.stdin.isTTY)
    fail('Say in one sentence what partners notice: npm run generate -- "SENTENCE"');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const sentence = await terminal.question('What partners notice, in one sentence (Markdown): ');
  terminal.close();
  return sentence.trim() === '' ? fail('Without a sentence nothing was written.') : sentence.trim();
};

const date = new Date().toISOString().slice(0, 10);
const changedLog = contractLog.safeParse(
  addRelease(log, { date, summary: await askForSummary(), changed }),
);
if (changedLog.success) writeContractLog(changedLog.data);
else fail(changedLog.error.issues.map(({ message }) => message).join('\n'));
for (const form of forms) freezeContract(form);
