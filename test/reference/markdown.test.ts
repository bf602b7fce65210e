import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { operationsOf, schemaMembers } from '../../adapters/reference/read-contract.ts';
import { contractOf } from '../support/contract.ts';
import { exchangeNames, readExchange } from '../support/exchanges.ts';
import { useGateway } from '../support/gateway.ts';

/** The text below a heading, up to the next one of its level. */
const below = (text: string, heading: string): string => {
  const [mark = ''] = heading.split(' ');
  const [, rest = ''] = text.split(`\n${heading}\n`);
  return rest.split(`\n${mark} `)[0] ?? '';
};

/** The rows of the tables of a text, by their first cell without what follows its code. */
const rowsIn = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(/^\| `([^`]+)`.*$/gm)].map(([row, name = '']) => [name, row]));

describe('the reference as Markdown', () => {
  const gateway = useGateway();
  const partOf = async (form: string): Promise<string> => {
    const parts = (await gateway.send('/docs.md')).text.split('# Artist Intelligence API, ');
    return parts.find((part) => part.startsWith(`${form} form\n`)) ?? '';
  };

  for (const form of forms) {
    const contract = contractOf(form);

    it(`has every parameter, status and header of each route of the ${form.name} form`, async () => {
      const text = await partOf(form.name);
      for (const { path, parameters, responses } of operationsOf(contract)) {
        const rows = rowsIn(below(text, `### GET ${path}`));
        for (const { name, in: where, required, description } of parameters)
          expect(rows.get(name), path)
            .to.include(`| \`${name}\`, ${where}${required ? ', required' : ''} | `)
            .and.include(description);
        for (const { status, schemas, headers } of responses) {
          const row = rows.get(status);
          expect(row, path).to.include(
            schemas.length === 0 ? 'none' : schemas.map((name) => `\`${name}\``).join(' or '),
          );
          for (const header of headers) expect(row, path).to.include(`\`${header}\``);
        }
      }
    });

    it(`has every member of each object of the ${form.name} form, and what may be absent`, async () => {
      const text = await partOf(form.name);
      for (const [object, schema] of Object.entries(contract.components?.schemas ?? {})) {
        const part = below(text, `### ${object}`);
        const rows = rowsIn(part);
        for (const value of ('enum' in schema && schema.enum) || [])
          expect(part, object).to.include(`\`${value}\``);
        for (const { name, required, schema: member } of schemaMembers(schema)) {
          const row = rows.get(name) ?? '';
          expect(row, object).to.match(required ? /^\| `[^`]+` \|/ : /^\| `[^`]+`, optional \|/);
          if ('$ref' in member)
            expect(row, object).to.include(`\`${String(member.$ref).split('/').at(-1)}\``);
          else
            expect(row, object)
              .to.include(member.description)
              .and.include([member.type ?? ''].flat().join(' or '));
        }
      }
    });

    it(`has every header and error code of the ${form.name} form, and its description`, async () => {
      const text = await partOf(form.name);
      const headers = rowsIn(below(text, '## Response headers'));
      for (const [name, header] of Object.entries(contract.components?.headers ?? {}))
        expect(headers.get(name)).to.include('description' in header ? header.description : name);
      for (const { status, headers: sent } of operationsOf(contract).flatMap(
        ({ responses }) => responses,
      ))
        for (const name of sent)
          expect(headers.get(name)?.split(' | ').at(-1), name).to.include(status);
      const codes = below(text, '## Error codes');
      for (const { code, status, text: meaning } of Object.values(form.problems))
        if (meaning !== undefined)
          expect(codes).to.include(`| \`${code}\` | ${status} | ${meaning} |`);
    });

    it(`has a recorded answer of each route of the ${form.name} form`, async () => {
      const text = await partOf(form.name);
      const exchanges = exchangeNames(form.name).map((name) => readExchange(form.name, name));
      const recorded = exchanges.flatMap(({ status, body }) =>
        status === 200 ? [JSON.stringify(body)] : [],
      );
      for (const { path } of operationsOf(contract)) {
        const shown = /^`GET ([^`?]+)[^`]*` returned 200:\n\n```json\n(.*?)\n```$/ms;
        const [, asked = '', json = ''] = shown.exec(below(text, `### GET ${path}`)) ?? [];
        expect(asked).to.match(new RegExp(`^${path.replace(/\{\w+\}/, '[^/]+')}$`));
        const answer = JSON.stringify(JSON.parse(json)).replaceAll(
          /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
          '<request id>',
        );
        expect(recorded, path).to.include(answer);
      }
    });
  }

  it('names both bodies of a 401 and of a 405 of the variant form', async () => {
    const rows = rowsIn(below(await partOf('variant'), '### GET /api/v1/spikes'));
    for (const status of ['401', '405'])
      expect(rows.get(status), status).to.include('`Error` or `CurrentError`');
  });

  it('has the types and bounds of parameters', async () => {
    const rows = rowsIn(below(await partOf('current'), '### GET /api/v1/artists'));
    expect(rows.get('limit')).to.include('integer; 1 to 100; default `50`');
    expect(rows.get('cursor')).to.match(/^\| `cursor`, query \| string \|/);
  });

  it('names the language of every block of code but headers and requests', async () => {
    const { text } = await gateway.send('/docs.md');
    const fences = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
    const languages = new Set(fences.map(([, language]) => language));
    const expected = ['', 'javascript', 'json', 'php', 'python', 'sh', 'typescript'];
    expect([...languages].sort()).to.deep.equal(expected);
    for (const [, language, code] of fences)
      if (language === '') expect(code).to.match(/^(HTTP\/1\.1 |GET |\{"error")/);
  });

  it('has the page of changes too', async () => {
    const { text, headers } = await gateway.send('/docs/changes.md');
    expect(headers['content-type']).to.equal('text/markdown; charset=utf-8');
    const dates = [...(await gateway.send('/docs/changes')).text.matchAll(/data-find="([^"]+)"/g)];
    expect(dates).to.not.have.lengthOf(0);
    for (const [, date] of dates) expect(text).to.include(`\n## ${date}\n`);
  });
});
