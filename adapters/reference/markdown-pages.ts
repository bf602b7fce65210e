import { markdownTable } from '../text/markdown.ts';
import { oneLine } from '../text/plain-text.ts';
import {
  type ContractTable,
  errorTable,
  examplesOf,
  headerTable,
  objectsIn,
  parameterTable,
  responseTable,
} from './contract-tables.ts';
import type { FormReference } from './form-reference.ts';
import { formatJson } from './highlight.ts';
import { type Operation, operationsOf } from './read-contract.ts';

const headline = 'Artist Intelligence API';

/** Names that lead to another part of the page are code. */
const withoutLinks = (text: string): string =>
  text.replaceAll(/\[`?([^\]`]+)`?\]\(#[^)]+\)/g, '`$1`');

/** A table of Markdown texts, each in one line; empty without rows. */
const tableText = ({ titles, rows }: ContractTable): string =>
  markdownTable(
    titles,
    rows.map(({ name, aside, cells }) => [
      aside === undefined ? `\`${name}\`` : `\`${name}\`, ${aside}`,
      ...cells.map((cell) => withoutLinks(oneLine([cell].flat().join(' '))).replaceAll('|', '\\|')),
    ]),
  ) ?? '';

const paragraphs = (...parts: readonly string[]): string =>
  parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');

/** An endpoint with its first recorded answer. */
const endpointText = (operation: Operation, reference: FormReference): string => {
  const { path, summary, description } = operation;
  const answer = examplesOf(operation, reference).find(({ status }) => status === 200);
  return paragraphs(
    `### GET ${path}`,
    `${summary}. ${description}`,
    tableText(parameterTable(operation, reference.form)),
    tableText(responseTable(operation, reference.form)),
    answer === undefined
      ? ''
      : `\`GET ${answer.request.path}\` returned 200:\n\n\`\`\`json\n${formatJson(answer.body, 120)}\n\`\`\``,
  );
};

/** The reference as Markdown: the chapters of every form and everything that its contract says. */
export const referenceMarkdown = (references: readonly FormReference[]): string =>
  `${paragraphs(
    ...references.flatMap((reference) => [
      `# ${headline}, ${reference.form} form`,
      reference.contract.info.description ?? '',
      `Base address: ${reference.baseUrl}. Contract: ${reference.baseUrl}${reference.contractPath}`,
      reference.markdown,
      '## Endpoints',
      ...operationsOf(reference.contract).map((operation) => endpointText(operation, reference)),
      '## Error codes',
      tableText(errorTable(reference)),
      '## Response headers',
      tableText(headerTable(reference)),
      '## Objects',
      ...objectsIn(reference).map(({ name, description, values, members }) =>
        paragraphs(`### ${name}`, description, withoutLinks(values), tableText(members)),
      ),
    ]),
  )}\n`;

/** `/llms.txt` (llmstxt.org): an index of the reference for language models. */
export const llmsText = (references: readonly FormReference[]): string => {
  const [{ baseUrl, contract } = { baseUrl: '', contract: undefined }] = references;
  const about = contract?.info.description?.split('\n', 1)[0] ?? '';
  return `# ${headline}

> ${about}

## Docs

- [Reference](${baseUrl}/docs.md): chapters, endpoints, error codes, headers and objects of every form
- [How the forms compare](${baseUrl}/docs/migration.md): member by member
- [Changes](${baseUrl}/docs/changes.md): what changed in the contracts, also as Atom at ${baseUrl}/docs/changes.atom

## Contracts

${references.map(({ form, contractPath }) => `- [OpenAPI 3.1, ${form} form](${baseUrl}${contractPath})`).join('\n')}
`;
};
