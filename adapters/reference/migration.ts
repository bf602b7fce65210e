import type { Contract } from '../openapi/document.ts';
import { type Operation, operationsOf } from './read-contract.ts';

/** How two forms compare, as Markdown, told from their contracts alone: where nobody has written it down better. */

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const listed = (names: readonly string[]): string =>
  names.length === 0 ? '–' : names.map((name) => `\`${name}\``).join(', ');

const row = (...cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;

const membersIn = (contract: Contract, name: string): readonly string[] => {
  const schema = contract.components?.schemas?.[name];
  return schema !== undefined && 'properties' in schema ? Object.keys(schema.properties ?? {}) : [];
};

const operationRows = (here: Operation | undefined, there: Operation | undefined): readonly string[] => {
  const parameters = (operation: Operation | undefined) =>
    listed((operation?.parameters ?? []).filter((parameter) => parameter.in === 'query').map(({ name }) => name));
  const statuses = (operation: Operation | undefined) =>
    listed((operation?.responses ?? []).map(({ status }) => status));
  return [row('Parameters', parameters(here), parameters(there)), row('Statuses', statuses(here), statuses(there))];
};

export interface NamedContract {
  readonly form: string;
  readonly contract: Contract;
}

export const compareContracts = (
  { form: fromName, contract: from }: NamedContract,
  { form: toName, contract: to }: NamedContract,
): string => {
  const [left, right] = [operationsOf(from), operationsOf(to)];
  const paths = [...new Set([...right, ...left].map(({ path }) => path))];
  const head = [row('', `${fromName} form`, `${toName} form`), row('---', '---', '---')];
  const operations = paths.flatMap((path) => {
    const [here, there] = [left, right].map((operations) => operations.find((operation) => operation.path === path));
    const missing =
      here === undefined
        ? `Only in the ${toName} form.\n`
        : there === undefined
          ? `Only in the ${fromName} form.\n`
          : '';
    return [`### \`GET ${path}\``, '', missing, ...head, ...operationRows(here, there), ''];
  });
  const names = [from, to].flatMap(({ components }) => Object.keys(components?.schemas ?? {}));
  const objects = [...new Set(names)].map((name) =>
    row(`**${name}**`, listed(membersIn(from, name)), listed(membersIn(to, name))),
  );
  return ['# How the forms compare', '', '## Paths', '', ...operations, '## Members', '', ...head, ...objects, ''].join(
    '\n',
  );
};
