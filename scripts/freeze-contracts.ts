import { parseArgs } from 'node:util';
import { forms } from '../adapters/forms/forms.ts';
import { compareContracts, describeChanges } from '../tools/contracts/changes.ts';
import {
  addRelease,
  type ChangedContract,
  contractText,
  freezeContract,
  readCommittedContract,
  readCommittedLog,
  readContractLog,
  writeContractLog,
} from './contracts/frozen-contracts.ts';

/**
 * Rewrites the frozen contracts that differ from the contracts of the code, and prints each change
 * since the last commit and whether it breaks clients. What partners notice becomes a release on
 * `/docs/changes`, with the given sentence. A second run before a commit replaces the release.
 *   npm run generate -- "Artists have a `genre`."
 *   npm run generate -- --breaks "…"      a change that breaks clients
 *   npm run generate -- --not-news        compatible changes that responses had before
 *   npm run generate -- --same-answers    the same responses, described in another way
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

const releases = readCommittedLog();

const changed: ChangedContract[] = [];
for (const form of forms) {
  const [frozen, text] = [readCommittedContract(form), contractText(form)];
  if (frozen === text) continue;
  const before: unknown = JSON.parse(frozen ?? text); // a new form is no change of a contract
  const changes = compareContracts(before, JSON.parse(text)).map((change) =>
    values['same-answers'] ? { ...change, breaks: false } : change,
  );
  for (const line of describeChanges(changes)) process.stdout.write(`${form.name}: ${line}\n`);
  changed.push({ form: form.name, news: changes });
}

const news = changed.flatMap((each) => each.news);
const breaks = news.some((change) => change.breaks);
if (breaks && !values.breaks)
  fail('Not frozen. Make it compatible, or run it again with --breaks and a sentence.');
if (breaks && values['not-news']) fail('A change that breaks clients is news: write a sentence.');
const isNews = news.length > 0 || (changed.length > 0 && positionals[0] !== undefined); // a text may be news too
const [uncommitted] = readContractLog().filter(
  ({ id }) => !releases.some((release) => release.id === id),
);
const summary =
  isNews && !values['not-news'] ? (positionals[0] ?? uncommitted?.summary ?? '') : undefined;
if (summary === '') fail('Say what partners notice: npm run generate -- "SENTENCE"');

const date = new Date().toISOString().slice(0, 10);
writeContractLog(summary === undefined ? releases : addRelease(releases, date, summary, changed));
for (const form of forms) freezeContract(form);
