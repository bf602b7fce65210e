import { recordedExample } from '../openapi/recorded-examples.ts';
import { markdownTable } from '../text/markdown.ts';
import { oneLine } from '../text/plain-text.ts';
import { problemsIn } from './errors-view.ts';
import type { FormReference } from './form-reference.ts';
import { formatJson } from './highlight.ts';
import { headersIn, type Operation, operationsOf, type Schema, schemaMembers } from './read-contract.ts';
import { limitTexts, typeText } from './schema-text.ts';

const headline = 'Artist Intelligence API';

const code = (text: string): string => `\`${text}\``;

/** A table of Markdown texts, each in one line; empty without rows. */
const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  markdownTable(
    titles,
    rows.map((cells) => cells.map((text) => oneLine(text).replaceAll('|', '\\|'))),
  ) ?? '';

const paragraphs = (...parts: readonly string[]): string =>
  parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');

const typeCell = (schema: Schema): string => [typeText(schema, code), ...limitTexts(schema)].join('; ');

const parameterTable = ({ parameters }: Operation): string =>
  table(
    ['Parameter', 'In', 'Type', 'Meaning'],
    parameters.map(({ name, in: where, required, schema = {}, description = '' }) => [
      code(name),
      required === true ? `${where}, required` : where,
      typeCell(schema),
      description,
    ]),
  );

const responseTable = ({ responses }: Operation): string =>
  table(
    ['Status', 'Body', 'Meaning', 'Headers'],
    responses.map(({ status, schemas, description, headers }) => [
      code(status),
      schemas.length === 0 ? 'none' : schemas.map(code).join(' or '),
      description,
      headers.map(code).join(' '),
    ]),
  );

/** The first recorded answer of a route. */
const answerOf = ({ path }: Operation, { contract, recorded }: FormReference): string => {
  const content = contract.paths?.[path]?.get?.responses?.['200'];
  const examples = content !== undefined && 'content' in content ? content.content?.['application/json']?.examples : {};
  const [name] = Object.keys(examples ?? {});
  if (name === undefined) return '';
  const { request, status, body } = recordedExample(recorded, name);
  return `\`GET ${request.path}\` was answered ${status}:\n\n\`\`\`json\n${formatJson(body, 120)}\n\`\`\``;
};

const endpointsOf = (reference: FormReference): string =>
  paragraphs(
    ...operationsOf(reference.contract).map((operation) => {
      const { path, summary, description } = operation;
      return paragraphs(
        `### GET ${path}`,
        `${summary}. ${description}`,
        parameterTable(operation),
        responseTable(operation),
        answerOf(operation, reference),
      );
    }),
  );

const errorsOf = (reference: FormReference): string =>
  table(
    ['Code', 'Status', 'Meaning'],
    problemsIn(reference).map(({ code: name, status, meaning }) => [code(name), String(status), meaning]),
  );

const headersOf = ({ contract }: FormReference): string =>
  table(
    ['Header', 'Meaning', 'For example', 'With'],
    headersIn(contract).map(({ name, description, example, statuses }) => [
      code(name),
      description,
      code(example),
      statuses.join(' '),
    ]),
  );

const objectsOf = ({ contract }: FormReference): string =>
  paragraphs(
    ...Object.entries(contract.components?.schemas ?? {}).map(([name, schema]) => {
      const members = schemaMembers(schema).map(({ name: member, schema: value, required }) => [
        required ? code(member) : `${code(member)}, optional`,
        typeCell(value),
        '$ref' in value ? '' : (value.description ?? ''),
      ]);
      const description = 'description' in schema ? (schema.description ?? '') : '';
      return paragraphs(
        `### ${name}`,
        description,
        members.length > 0 ? table(['Member', 'Type', 'Meaning'], members) : typeCell(schema),
      );
    }),
  );

/** The reference as Markdown: the chapters of every form and everything that its contract says. */
export const referenceMarkdown = (references: readonly FormReference[]): string =>
  `${paragraphs(
    ...references.map((reference) =>
      paragraphs(
        `# ${headline}, ${reference.form} form`,
        reference.contract.info.description ?? '',
        `Base address: ${reference.baseUrl}. Contract: ${reference.baseUrl}${reference.contractPath}`,
        reference.markdown,
        '## Endpoints',
        endpointsOf(reference),
        '## Error codes',
        errorsOf(reference),
        '## Response headers',
        headersOf(reference),
        '## Objects',
        objectsOf(reference),
      ),
    ),
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
