import { expect } from 'chai';
import { ownWindow } from '../../adapters/forms/form-contract.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { schemaMembers } from '../../scripts/pages/read-contract.ts';
import { artistMetrics, signingStatuses, tiers } from '../../src/domain/model.ts';
import { comparedForms } from '../../tools/migration/mapping/forms.ts';
import { contractOf, expectContract } from '../support/contract.ts';
import { readExchange } from '../support/exchanges.ts';
import { createTestGateway, fullKeys } from '../support/gateway.ts';

const text = (value: unknown): string => JSON.stringify(value);

/** What zod writes into a schema and no client needs. */
const zodKeywordsIn = (schema: unknown): readonly string[] => [
  ...(text(schema).match(
    /"(propertyNames|\$schema|allowed|pattern)"|900719925474099\d|"additionalProperties":false/g,
  ) ?? []),
];

/** Members that are plain strings with known values, by name or behind the name of the schema. */
const openSets = new Map<string, readonly string[]>([
  ['tier', tiers],
  ['metric', artistMetrics],
  ['signed_status', signingStatuses],
  ['SigningState.status', signingStatuses],
]);

describe('contracts', () => {
  for (const form of forms) {
    const contract = contractOf(form);

    it(`of the ${form.name} form have no keywords that only zod needs`, () => {
      const parameters = Object.entries(contract.paths ?? {}).flatMap(([path, { get }]) =>
        (get?.parameters ?? []).map((parameter) => {
          const name = 'name' in parameter ? parameter.name : parameter.$ref;
          return [`parameter ${name} of ${path}`, parameter] as const;
        }),
      );
      const parts = Object.entries({
        ...contract.components?.schemas,
        ...contract.components?.headers,
      });
      const remedy = `use refine() in adapters/forms/${form.name}, or leave it out in tidy() of scripts/contracts/document.ts`;
      expect(
        [...parameters, ...parts].flatMap(([name, part]) =>
          zodKeywordsIn(part).map((keyword) => `${name}: ${keyword}`),
        ),
        remedy,
      ).to.deep.equal([]);
    });
  }

  it('have the address of the service as their server, and its support contact', () => {
    for (const [contact, expected] of [
      [undefined, {}],
      ['api@partners.test', { email: 'api@partners.test' }],
      ['https://partners.test/help', { url: 'https://partners.test/help' }],
    ] as const) {
      for (const form of forms) {
        const { servers, info } = contractOf(form, 'https://api.partners.test', contact);
        expect(servers).to.deep.equal([{ url: 'https://api.partners.test' }]);
        expect(info.contact).to.deep.equal({ name: 'Partner support', ...expected });
      }
    }
  });

  it('describe every parameter and member, give every body an example, and say which parameters are optional', () => {
    for (const form of forms) {
      const { paths, components } = contractOf(form);
      for (const { get } of Object.values(paths ?? {})) {
        for (const [status, { content }] of Object.entries(get?.responses ?? {})) {
          const examples = Object.keys(content?.['application/json']?.examples ?? {});
          const remedy = `an example of ${get?.operationId} ${status}: record one in fixtures/exchanges/${form.name} and name it in adapters/forms/${form.name}/contract.ts`;
          expect(status === '304' || examples.length > 0, remedy).to.equal(true);
        }
        for (const parameter of get?.parameters ?? []) {
          const remedy = `describe it and give it an example in adapters/forms/${form.name}/params.ts: ${text(parameter)}`;
          expect(parameter, remedy).to.include.keys('description', 'example', 'required');
        }
      }
      const undescribed = Object.entries(components?.schemas ?? {}).flatMap(([name, schema]) =>
        schemaMembers(schema)
          .filter(({ schema: member }) => !('$ref' in member) && member.description === undefined)
          .map((member) => `${name}.${member.name}`),
      );
      const remedy = `members without describe() in adapters/forms/${form.name}/wire.ts`;
      expect(undescribed, remedy).to.deep.equal([]);
    }
  });

  it('state the known values of an open set in text and examples', () => {
    for (const form of forms) {
      const declared = Object.entries(contractOf(form).components?.schemas ?? {}).flatMap(
        ([name, schema]) =>
          schemaMembers(schema).map(({ name: member, schema: value }) => ({
            where: `${name}.${member}`,
            known: openSets.get(member) ?? openSets.get(`${name}.${member}`),
            value,
          })),
      );
      const open = declared.filter(({ known }) => known !== undefined);
      expect(open.length, form.name).to.be.at.least(3);
      for (const { where, known = [], value } of open) {
        const examples = 'examples' in value ? value.examples : undefined;
        expect(examples, where).to.deep.equal(known);
        for (const one of known)
          expect('description' in value && value.description, where).to.include(`\`${one}\``);
      }
    }
  });

  it('promise no day and no instant for a member that has whatever text is stored', () => {
    for (const form of forms) {
      const { schemas = {} } = contractOf(form).components ?? {};
      const texts = text(schemas).match(/"[^"]*a day or an instant[^"]*"/g) ?? [];
      expect(texts.filter((one) => !one.includes('usually'))).to.deep.equal([]);
    }
  });

  it('say that keys of another form keep their own window, in the headers of the quota and of its refusal', () => {
    for (const form of forms) {
      const { paths, components } = contractOf(form);
      for (const name of ['Limit', 'Remaining', 'Reset']) {
        const header = text(components?.headers?.[`X-RateLimit-${name}`]);
        expect(header, `X-RateLimit-${name} of the ${form.name} form`).to.include(ownWindow);
      }
      for (const [path, { get }] of Object.entries(paths ?? {})) {
        const refusal = get?.responses?.['429'];
        if (refusal !== undefined)
          expect(refusal.description, path).to.match(/`rate_limited`: .* keep the window of/);
      }
    }
  });

  it('declare the headers of every 200 with the same body alike, of which generators make one type', () => {
    for (const form of forms) {
      const headersOf = new Map<string, string>();
      for (const [path, { get }] of Object.entries(contractOf(form).paths ?? {})) {
        const { content, headers } = get?.responses?.['200'] ?? {};
        const body = text(content?.['application/json']?.schema);
        const declared = text(headers);
        const remedy = `${path} of adapters/forms/${form.name}/contract.ts has other headers than a path with the same body`;
        expect(headersOf.get(body) ?? declared, remedy).to.equal(declared);
        headersOf.set(body, declared);
      }
    }
  });

  it('have parameter examples that find an artist, sent together and without the filters', async () => {
    const gateway = await createTestGateway();
    for (const name of comparedForms) {
      const contract = contractOf(forms.find((form) => form.name === name) ?? forms[0]);
      for (const [template, { get }] of Object.entries(contract.paths ?? {})) {
        const parameters = (get?.parameters ?? []).filter((parameter) => 'in' in parameter);
        const inPath = parameters.find(({ in: where }) => where === 'path')?.example;
        const path = template.replace(/\{\w+\}/, String(inPath));
        const inQuery = parameters.filter(({ in: where }) => where === 'query');
        const query = new URLSearchParams(
          inQuery.map(({ name: given, example }): [string, string] => [given, String(example)]),
        );
        for (const target of [path, `${path}?${query}`]) {
          const { status, text: body } = await gateway.send(target, fullKeys[name].text);
          const file = `the examples in adapters/forms/${name}/params.ts: ${target}`;
          expect([status, body.includes('"data":[]')], file).to.deep.equal([200, false]);
        }
      }
    }
    await gateway.close();
  });

  it('match a recorded answer, and none with another header, member or status', () => {
    const { request, status, headers, body } = readExchange('current', 'artists');
    const lower = Object.fromEntries(
      Object.entries(headers).map(([header, sent]) => [header.toLowerCase(), sent]),
    );
    const reply = { status, headers: lower, text: text(body) };
    expect(() => expectContract(request.path, reply)).not.to.throw();
    const wider = text({ ...Object(body), internal: true });
    for (const [change, fault] of [
      [{ headers: { ...lower, 'x-secret': '1' } }, 'x-secret'],
      [{ text: wider }, 'additional'],
      [{ status: 418 }, 'undeclared status 418'],
    ] as const)
      expect(() => expectContract(request.path, { ...reply, ...change })).to.throw(fault);
  });
});
