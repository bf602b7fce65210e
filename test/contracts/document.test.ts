import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { schemaMembers } from '../../scripts/pages/read-contract.ts';
import { artistMetrics, signingStatuses, tiers } from '../../src/domain/model.ts';
import { contractOf, expectContract } from '../support/contract.ts';
import { readExchange } from '../support/exchanges.ts';
import { createTestGateway, fullKeys } from '../support/gateway.ts';

const text = (value: unknown): string => JSON.stringify(value);

const zodKeywordsIn = (schema: unknown): readonly string[] => [
  ...(text(schema).match(
    /"(propertyNames|\$schema|allowed|pattern)"|900719925474099\d|"additionalProperties":false/g,
  ) ?? []),
];

/** Strings with known values, by field name or by schema and field. */
const openSets = new Map<string, readonly string[]>([
  ['tier', tiers],
  ['metric', artistMetrics],
  ['signed_status', signingStatuses],
  ['SigningState.status', signingStatuses],
]);

const operationsOf = (form: (typeof forms)[number]) =>
  Object.entries(contractOf(form).paths ?? {}).flatMap(([path, { get }]) =>
    get === undefined ? [] : [{ path, get }],
  );

for (const form of forms)
  describe(`the contract of the ${form.name} form`, () => {
    const contract = contractOf(form);
    const { schemas = {}, headers = {} } = contract.components ?? {};
    const operations = operationsOf(form);
    const parameters = operations.flatMap(({ path, get }) =>
      (get.parameters ?? []).map((parameter) => ({ path, parameter })),
    );
    const members = Object.entries(schemas).flatMap(([name, schema]) =>
      schemaMembers(schema).map((member) => ({
        where: `${name}.${member.name}`,
        known: openSets.get(member.name) ?? openSets.get(`${name}.${member.name}`),
        schema: member.schema,
      })),
    );

    it('has no keywords that only zod needs', () => {
      const parts = [
        ...parameters.map(({ path, parameter }) => [path, parameter] as const),
        ...Object.entries({ ...schemas, ...headers }),
      ];
      const found = parts.flatMap(([name, part]) =>
        zodKeywordsIn(part).map((keyword) => `${name}: ${keyword}`),
      );
      const remedy = `use refine() in adapters/forms/${form.name}, or remove it in tidy() of scripts/contracts/document.ts`;
      expect(found, remedy).to.deep.equal([]);
    });

    it('describes every parameter and field, and has an example of every body', () => {
      for (const { get } of operations)
        for (const [status, { content }] of Object.entries(get.responses ?? {})) {
          const examples = Object.keys(content?.['application/json']?.examples ?? {});
          const remedy = `an example of ${get.operationId} ${status}: record one in fixtures/exchanges/${form.name} and name it in adapters/forms/${form.name}/contract.ts`;
          expect(status === '304' || examples.length > 0, remedy).to.equal(true);
        }
      for (const { parameter } of parameters)
        expect(parameter, `params.ts: ${text(parameter)}`).to.include.keys(
          ...['description', 'example', 'required'],
        );
      const undescribed = members
        .filter(({ schema }) => !('$ref' in schema) && schema.description === undefined)
        .map(({ where }) => where);
      expect(undescribed, `describe() in adapters/forms/${form.name}/wire.ts`).to.deep.equal([]);
    });

    it('states the known values of an open set in text and examples', () => {
      const open = members.filter(({ known }) => known !== undefined);
      expect(open.length).to.be.at.least(3);
      for (const { where, known = [], schema } of open) {
        expect('examples' in schema && schema.examples, where).to.deep.equal(known);
        for (const one of known)
          expect('description' in schema && schema.description, where).to.include(`\`${one}\``);
      }
    });
  });

describe('contracts', () => {
  it('have parameter examples that find an artist, together and without filters', async () => {
    const gateway = await createTestGateway();
    for (const form of forms)
      for (const { path: template, get } of operationsOf(form)) {
        const parameters = (get.parameters ?? []).filter((parameter) => 'in' in parameter);
        const inPath = parameters.find(({ in: where }) => where === 'path')?.example;
        const path = template.replace(/\{\w+\}/, String(inPath));
        const inQuery = parameters.filter(({ in: where }) => where === 'query');
        const query = new URLSearchParams(
          inQuery.map(({ name: given, example }): [string, string] => [given, String(example)]),
        );
        for (const target of [path, `${path}?${query}`]) {
          const { status, text: body } = await gateway.send(target, fullKeys[form.name].text);
          const file = `the examples in adapters/forms/${form.name}/params.ts: ${target}`;
          expect([status, body.includes('"data":[]')], file).to.deep.equal([200, false]);
        }
      }
    await gateway.close();
  });

  it('match a recorded response, but not with another header, field or status', () => {
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
