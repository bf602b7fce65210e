import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ContractLog, contractLog } from '../../adapters/reference/contract-log.ts';
import { docsFolder } from '../../src/runtime/config.ts';
import type { Change } from './contract-changes.ts';

/** The list behind `/docs/changes`, which `npm run contracts:freeze` writes. */
const file = join(docsFolder, 'site', 'changes.json');

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export const readLogFile = (): string => readFileSync(file, 'utf8');

export const readContractLog = (): ContractLog => contractLog.parse(JSON.parse(readLogFile()));

/** A change without its route and the way to the item: the same change at many routes is one. */
const parse = ({ where, what }: Change) => {
  const [, path = '', rest = where] = /^(?:GET (\S+)) ?(.*)$/.exec(where) ?? [];
  const inside = rest.replace(/^(\d{3})(?:\.data(?:\[\])?)?[. ]?/, (_all, status: string) =>
    status === '200' ? '' : `${status} `,
  );
  return { path, text: inside.trim() === '' ? what : `\`${inside.trim()}\` ${what}` };
};

/** Adds the differences of a form's contract to the list; differences in words alone are one entry a day. */
export const addChanges = (
  log: ContractLog,
  { form, date, text, changes }: { form: string; date: string; text: string; changes: readonly Change[] },
): ContractLog => {
  const contract = digestOf(text);
  if (log.contracts[form] === contract) return log;
  const grouped = new Map<string, ContractLog['changes'][number]>();
  const all = changes.length > 0 ? changes : [{ where: '', what: 'Descriptions or examples changed', breaks: false }];
  for (const change of all) {
    const { path, text: what } = parse(change);
    const id = `${date}-${form}-${digestOf(`${what} ${change.breaks}`).slice(0, 10)}`;
    const known = grouped.get(id);
    const paths = path === '' ? [] : [path];
    if (known === undefined) grouped.set(id, { id, date, form, paths, what, breaking: change.breaks });
    else if (!known.paths.includes(path)) known.paths.push(...paths);
  }
  const kept = log.changes.filter(({ id }) => !grouped.has(id));
  return { contracts: { ...log.contracts, [form]: contract }, changes: [...grouped.values(), ...kept] };
};

/** The text of the file: each list of paths on one line. */
export const contractLogText = (log: ContractLog): string =>
  `${JSON.stringify(log, null, 2)}\n`.replaceAll(
    /\[\s+("[^\]]*")\s+\]/g,
    (_all, paths: string) => `[${paths.replaceAll(/\s+/g, ' ')}]`,
  );

export const writeContractLog = (log: ContractLog): void => writeFileSync(file, contractLogText(log));
