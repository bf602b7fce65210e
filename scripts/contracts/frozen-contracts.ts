import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Form } from '../../adapters/forms/form.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { groupBy } from '../../src/domain/groups.ts';
import { docsFolder } from '../../src/runtime/folders.ts';
import type { Change } from '../../tools/contracts/changes.ts';
import { type ContractLog, contractLog } from '../pages/contract-log.ts';
import { describeForm } from './document.ts';
import { readRecordedExamples } from './recorded-examples.ts';

/** The path of a form's checked-in contract, which clients were built on. */
const fileOf = (form: Form): string => {
  const name = form === forms[0] ? 'openapi.json' : `openapi.${form.name}.json`;
  return fileURLToPath(new URL(`../../contracts/${name}`, import.meta.url));
};

/** The contract of the code, with default settings. */
export const contractText = (form: Form): string => {
  const baseUrl = 'http://127.0.0.1:3000';
  const recorded = readRecordedExamples(form.name);
  const settings = { baseUrl, unknownKeyForm: forms[0].name, forms, recorded };
  return `${JSON.stringify(describeForm(form, settings), null, 2)}\n`;
};

export const readFrozenContract = (form: Form): string => readFileSync(fileOf(form), 'utf8');

export const freezeContract = (form: Form): void => writeFileSync(fileOf(form), contractText(form));

/**
 * A file as the last commit has it; `undefined` when it has none: only what was committed may have
 * reached anybody.
 */
const readCommitted = (path: string): string | undefined => {
  const { status, stdout } = spawnSync('git', ['show', `HEAD:./${basename(path)}`], {
    cwd: dirname(path),
  });
  return status === 0 ? stdout.toString() : undefined;
};

export const readCommittedContract = (form: Form): string | undefined =>
  readCommitted(fileOf(form));

/** The list behind `/docs/changes`, which `npm run generate` writes. */
const file = join(docsFolder, 'site', 'changes.json');

const parseLog = (text: string): ContractLog => contractLog.parse(JSON.parse(text));

export const readContractLog = (): ContractLog => parseLog(readFileSync(file, 'utf8'));

export const readCommittedLog = (): ContractLog => parseLog(readCommitted(file) ?? '[]');

/** Parts of `GET /api/v1/artists 404 ETag`. 200 and the way to the item are left out. */
const readPlace = (where: string) => {
  const [, path, rest = where] = /^GET (\S+) ?(.*)$/.exec(where) ?? [];
  const [, status, name] = /^(?:(\d{3})(?:\.data(?:\[\])?)?[. ]?)?(.*)$/.exec(rest) ?? [];
  return name
    ? { path, status: status === '200' ? undefined : status, name }
    : { path, status: undefined, name: status ?? path ?? 'contract' };
};

/** A form whose contract differs from its frozen copy, and what partners notice of that. */
export interface ChangedContract {
  readonly form: string;
  readonly news: readonly Change[];
}

/** Joins the same change of several routes, fields and statuses. */
const changesOf = ({ form, news }: ChangedContract): ContractLog[number]['changes'] =>
  [...groupBy(news, ({ what, breaks }) => `${breaks} ${what}`).values()].map((group) => {
    const [{ what, breaks }] = group;
    const places = group.map(({ where }) => readPlace(where));
    const names = [...groupBy(places, ({ name }) => name)].map(([name, same]) => {
      const statuses = [...new Set(same.flatMap(({ status }) => status ?? []))].sort();
      return `\`${name}\`${statuses.length === 0 ? '' : ` (${statuses.join(', ')})`}`;
    });
    const verb = names.length > 1 ? what.replace(/^was /, 'were ') : what;
    return {
      form,
      paths: [...new Set(places.flatMap(({ path }) => path ?? []))],
      what: `${names.join(', ')} ${verb}`,
      breaking: breaks,
    };
  });

/** Puts a release with a person's sentence before the others. */
export const addRelease = (
  releases: ContractLog,
  date: string,
  summary: string,
  changed: readonly ChangedContract[],
): ContractLog => {
  const id = `${date}-${createHash('sha256').update(summary).digest('hex').slice(0, 10)}`;
  const same = releases.filter((each) => each.id === id);
  const others = releases.filter((each) => each.id !== id);
  const changes = [...changed.flatMap(changesOf), ...same.flatMap((each) => each.changes)];
  return [{ id, date, summary, changes }, ...others];
};

export const writeContractLog = (log: ContractLog): void =>
  writeFileSync(file, `${JSON.stringify(log, null, 2)}\n`);
