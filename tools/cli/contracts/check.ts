import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Form } from '../../../adapters/forms/form.ts';
import { forms } from '../../../adapters/forms/forms.ts';
import { contractPath } from '../../../adapters/http/reference-links.ts';
import { createFillIn } from '../../../adapters/reference/fill-in.ts';
import { addDays, dayOf } from '../../../src/domain/day.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { siteFolder } from '../../../src/runtime/folders.ts';
import { acceptance } from '../../compare/baseline.ts';
import { failureOf, junitDocument } from '../../compare/reports/junit.ts';
import { createClient } from '../../compare/targets/client.ts';
import {
  type AffectedKey,
  type ContractClient,
  findAffectedKeys,
} from '../../contracts/affected.ts';
import {
  at,
  type Change,
  compareContracts,
  fieldsOf,
  removeField,
} from '../../contracts/changes.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readBaseUrlOrPath, readJsonFile, readUsageDays } from '../option-parsers.ts';
import { activeKeys } from '../policy.ts';
import { removeReport, writeReport } from '../report-file.ts';
import { storeSettings } from '../settings.ts';
import { note, UsageError } from '../terminal/messages.ts';
import { type Column, none, printJson, printListing } from '../terminal/table.ts';

const contract = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });
const must = 'be an OpenAPI contract of this product, as /openapi.json';
const acceptedKeys = z.array(
  z.strictObject({ key: z.string(), change: z.string(), ...acceptance }),
);

/** Keys that may break, and why. */
const readAccepted = async (path: string | undefined) =>
  path === undefined ? [] : readJsonFile(path, acceptedKeys, 'hold an array of accepted keys');

const loadContract = async (source: URL | string): Promise<unknown> => {
  if (typeof source === 'string') return readJsonFile(source, contract, must);
  const send = createClient(new URL(source.origin), () => ({}));
  const path = source.pathname;
  const { status, text } = await send({
    form: 'current',
    key: 'none',
    method: 'GET',
    path,
    headers: {},
  });
  try {
    return contract.parse(JSON.parse(text));
  } catch (cause) {
    throw new UsageError(`${source.href}: answered ${status}; it must ${must}.`, { cause });
  }
};

/** The contract of this program, which `npm run build` wrote. */
const readOwn = async (form: Form): Promise<unknown> => {
  const built = await readFile(join(siteFolder, contractPath(form, forms)), 'utf8');
  const fillIn = createFillIn({
    baseUrl: 'http://127.0.0.1:3000', // not compared
    supportContact: undefined,
    sandboxUrl: undefined,
    unknownKeyForm: forms[0].name,
  });
  return JSON.parse(fillIn(built, 'application/json'));
};

/** The fields that the program of a key reads, from `KEY.txt` in the folder, a name a line. */
const loadReads = async (folder: string | undefined, key: string, before: unknown) => {
  const path = join(folder ?? '', `${key}.txt`);
  if (folder === undefined || !existsSync(path)) return undefined;
  const names = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim());
  const known = fieldsOf(before);
  const unknown = names.find((name) => name !== '' && !known.has(name));
  if (unknown === undefined) return new Set(names);
  throw new UsageError(`${path}: the contract has no field ${JSON.stringify(unknown)}.`);
};

/** The active keys with their usage in a form. Without `MONGODB_URL` it says so: there are none. */
const loadClients = async (
  form: Form,
  days: number,
  readsOf: (key: string) => Promise<ReadonlySet<string> | undefined>,
): Promise<readonly ContractClient[]> => {
  if (storeSettings().mongodbUrl === undefined) {
    note('MONGODB_URL is not set: there is no usage to look at.');
    return [];
  }
  return withContext(async ({ usage, usageNow, loadRegistry }) => {
    const registry = await loadRegistry();
    const counts = await usage.loadDays(addDays(dayOf(usageNow()), 1 - days));
    const clients = activeKeys(registry.keysOf(undefined), usageNow()).map(async ({ id }) => ({
      key: id,
      counts: counts.filter((count) => count.form === form.name && count.keyId === id),
      reads: await readsOf(id),
    }));
    return Promise.all(clients);
  });
};

/** A breaking change with the keys that it affects. */
interface AffectedChange {
  readonly change: string;
  readonly keys: readonly AffectedKey[];
  /** A line for each key that breaks and is not accepted. */
  readonly failures: readonly string[];
}

const judgeKeys = (
  changes: readonly Change[],
  clients: readonly ContractClient[],
  accepted: z.infer<typeof acceptedKeys>,
  today: string,
): readonly AffectedChange[] =>
  findAffectedKeys(changes, clients).map(({ changes: [first, ...more], keys }) => {
    const places = more.length === 0 ? '' : ` (and ${countOf(more.length, 'more place')})`;
    const change = `${first.where}${places} ${first.what}`;
    const mayBreak = accepted.filter((one) => one.change === change && one.until >= today);
    const failures = keys
      .filter(({ key, effect }) => effect === 'breaks' && !mayBreak.some((one) => one.key === key))
      .map(({ key, because }) => `Breaks ${key}, which ${because}: ${change}`);
    return { change, keys, failures };
  });

type Row = AffectedKey & { readonly change: string };

const columns = (days: number): readonly Column<Row>[] => [
  { title: 'key', show: ({ key }) => key },
  { title: 'effect', show: ({ effect }) => effect },
  { title: 'calls a day', show: ({ requests }) => Math.ceil(requests / days) },
  { title: 'last call', show: ({ last_day }) => last_day ?? none },
  { title: 'because', show: ({ because }) => because },
  { title: 'change', show: ({ change }) => change },
];

const junitOf = (form: string, affected: readonly AffectedChange[]): string => {
  const suite = { heading: `${form} form`, now: new Date(systemClock().now()).toISOString() };
  const cases = affected.map(({ change, failures }) => ({
    name: change,
    failure: failureOf(failures),
  }));
  return junitDocument('contracts check', suite, cases);
};

interface PrintOptions {
  readonly days: number;
  readonly json?: boolean | undefined;
}

const printAffected = (
  form: string,
  affected: readonly AffectedChange[],
  { days, json }: PrintOptions,
): void => {
  if (json) {
    const failures = affected.flatMap((one) => one.failures);
    const shown = affected.map(({ change, keys }) => ({ change, keys }));
    printJson({ form, days, affected: shown, failures });
  } else {
    const rows = affected.flatMap(({ change, keys }) => keys.map((key) => ({ ...key, change })));
    printListing(
      rows.filter(({ effect }) => effect !== 'not used'),
      columns(days),
    );
  }
};

export const checkCommand: DefineCommand = (command) =>
  command
    .argument('[contract]', 'the new contract; by default the contract of this program')
    .requiredOption('--against <url|file>', 'the contract that partners have', readBaseUrlOrPath)
    .option('--without-field <name>', 'instead of a new contract: a field that it loses')
    .option('--days <count>', 'UTC days of usage, including today', readUsageDays, 30)
    .option('--reads <folder>', 'fields that programs read: a file KEY.txt each, a name a line')
    .option('--baseline <file>', 'keys that may break: [{key, change, reason, until}]')
    .option('--junit <file>', 'write JUnit XML')
    .option('--json', 'print a JSON object')
    .description('list the keys that a changed contract breaks, by their usage (in MONGODB_URL)')
    .addHelpText(
      ...example('artist-gateway contracts check --against https://api.example.com/openapi.json'),
    )
    .action(async (path, { against, withoutField, reads, baseline, junit, ...options }) => {
      if (junit !== undefined) await removeReport(junit);
      const before = await loadContract(against);
      const form = forms.find((one) => one.contract.title === at(before, 'info', 'title'));
      if (form === undefined) throw new UsageError(`${against}: must ${must}.`);
      const removed = withoutField === undefined ? [] : removeField(before, withoutField);
      if (withoutField !== undefined && removed.length === 0)
        throw new UsageError(`The ${form.name} form has no field ${withoutField}.`);
      const changes =
        withoutField === undefined
          ? compareContracts(before, path ? await loadContract(path) : await readOwn(form))
          : removed;
      const accepted = await readAccepted(baseline);
      const clients = await loadClients(form, options.days, (key) => loadReads(reads, key, before));
      const affected = judgeKeys(changes, clients, accepted, dayOf(systemClock().now()));
      if (junit !== undefined) await writeReport(junit, junitOf(form.name, affected));
      printAffected(form.name, affected, options);
      const failed = affected.flatMap(({ failures }) => failures).length;
      const compatible = changes.filter(({ breaks }) => !breaks).length;
      note(
        `${form.name} form: ${countOf(affected.length, 'breaking change')}, ${compatible} compatible; ${countOf(failed, 'failure')}.`,
      );
      if (failed > 0) process.exitCode = 1;
    });
