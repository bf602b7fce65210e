import type { FormReference } from './form-reference.ts';
import { operationsOf } from './read-contract.ts';

const headline = 'Artist Intelligence API';

/** The endpoints of a form with their parameters and statuses, as Markdown. */
const endpointsOf = ({ contract }: FormReference): string =>
  operationsOf(contract)
    .map(({ path, summary, description, parameters, responses }) =>
      [
        `### GET ${path}`,
        `${summary}. ${description}`,
        ...(parameters.length === 0
          ? []
          : [
              parameters
                .map(({ name, in: where, description: text }) => `- \`${name}\` (${where}): ${text}`)
                .join('\n'),
            ]),
        responses.map(({ status, description: text }) => `- \`${status}\`: ${text.replaceAll(/\s+/g, ' ')}`).join('\n'),
      ].join('\n\n'),
    )
    .join('\n\n');

/** The reference as Markdown: the chapters of every form, and its endpoints. */
export const referenceMarkdown = (references: readonly FormReference[]): string =>
  references
    .map((reference) =>
      [
        `# ${headline}, ${reference.form} form`,
        reference.contract.info.description ?? '',
        `Base address: ${reference.baseUrl}. Contract: ${reference.baseUrl}${reference.contractPath}`,
        reference.markdown.trim(),
        '## Endpoints',
        endpointsOf(reference),
      ].join('\n\n'),
    )
    .join('\n\n')
    .concat('\n');

/** `/llms.txt` (llmstxt.org): an index of the reference for language models. */
export const llmsText = (references: readonly FormReference[]): string => {
  const [{ baseUrl, contract } = { baseUrl: '', contract: undefined }] = references;
  const about = contract?.info.description?.split('\n', 1)[0] ?? '';
  return `# ${headline}

> ${about}

## Docs

- [Reference](${baseUrl}/docs.md): chapters and endpoints of every form
- [How the forms compare](${baseUrl}/docs/migration.md): member by member
- [Changes](${baseUrl}/docs/changes): every change of a contract, also as Atom at ${baseUrl}/docs/changes.atom

## Contracts

${references.map(({ form, contractPath }) => `- [OpenAPI 3.1, ${form} form](${baseUrl}${contractPath})`).join('\n')}
`;
};
