import { readFileSync } from 'node:fs';
import { expect } from 'chai';

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const recordsIn = (value: unknown): readonly Json[] => {
  if (Array.isArray(value)) return value.flatMap(recordsIn);
  if (!isJson(value)) return [];
  return [
    value,
    ...Object.entries(value).flatMap(([name, one]) =>
      /^examples?$/.test(name) ? [] : recordsIn(one),
    ),
  ];
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const fieldsOf = (value: unknown, ...path: readonly string[]): [string, Json][] => {
  const inner = path.reduce<unknown>((one, name) => (isJson(one) ? one[name] : undefined), value);
  return Object.entries(isJson(inner) ? inner : {}).filter((entry): entry is [string, Json] =>
    isJson(entry[1]),
  );
};

const isBoolean = ({ type, const: only, enum: values }: Json): boolean =>
  type === 'boolean' && (only !== undefined || values !== undefined);

const isChoiceOfValues = ({ anyOf, oneOf, allOf }: Json): boolean =>
  [anyOf, oneOf, allOf].flatMap(listOf).some((one) => isJson(one) && one['$ref'] === undefined);

/** The name of a type in most languages: `signed_status` → `SignedStatus`. */
const typeName = (...words: readonly string[]): string =>
  words
    .flatMap((word) =>
      word.split(/[^A-Za-z0-9]+/).map((part) => part.charAt(0).toUpperCase() + part.slice(1)),
    )
    .join('');

/**
 * The types that generators make of members which are no reference: named after the member, or
 * after schema and member.
 */
const generatedNames = (schema: string, part: Json): readonly string[] =>
  fieldsOf(part, 'properties').flatMap(([member, given]) => {
    const inner = isJson(given['items']) ? given['items'] : given;
    const own = ['enum', 'const', 'properties'].some((keyword) => inner[keyword] !== undefined);
    return [
      ...(own ? [typeName(member), typeName(schema, member)] : []),
      ...generatedNames(`${schema}_${member}`, inner),
    ];
  });

/**
 * What generators made of each shape: openapi-generator 7.17 (Python, Java, Go, PHP, Rust) and ogen
 * 1.24.
 */
const rules: Readonly<Record<string, (contract: Json) => readonly unknown[]>> = {
  // Python refuses every answer that has it, Java does not compile, PHP compares with the text
  // 'true'.
  'a boolean that allows one value': (contract) => recordsIn(contract).filter(isBoolean),
  // Go sends the name of a type instead of the value, ogen does not know it.
  'a choice between values that have no name': (contract) =>
    recordsIn(contract).filter(isChoiceOfValues),
  // Go holds it in 32 bits (openapi-generator, oapi-codegen), and rounds large counts.
  'a number whose width is left open': (contract) =>
    recordsIn(contract).filter(({ type, format }) => type === 'number' && format !== 'double'),
  // A client refuses what is added later.
  'a closed list of values of which more may be added': (contract) =>
    recordsIn(contract).filter(
      ({ enum: values, description }) =>
        values !== undefined && /may be added/.test(String(description)),
    ),
  // Rust makes two types of one name.
  'a schema that is named like a type that its members generate': (contract) => {
    const schemas = fieldsOf(contract, 'components', 'schemas');
    const generated = schemas.flatMap(([name, schema]) => generatedNames(name, schema));
    return schemas.filter(([name]) => generated.includes(name));
  },
  // A client of the variant form with an unknown key gets the body of the current form.
  'a 401 without the body of a key that nobody issued': (contract) =>
    fieldsOf(contract, 'paths').flatMap(([path, { get }]) =>
      fieldsOf(get, 'responses', '401', 'content')
        // both linters check examples
        .filter(([, { examples }]) => !isJson(examples) || examples['no-key'] === undefined)
        .map(() => path),
    ),
};

const contracts = ['openapi.json', 'openapi.variant.json'].map((file) => {
  const read = (): Json => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
  return { file, read };
});

/** Puts a shape into a contract: into the schema of one member, or anywhere. */
const plant = (contract: Json, schema: string, member: string, shape: Json): void => {
  const [, part] =
    fieldsOf(contract, 'components', 'schemas').find(([name]) => name === schema) ?? [];
  Object.assign(part?.['properties'] ?? {}, { [member]: shape });
};

const planted: Readonly<Record<string, (contract: Json) => void>> = {
  'a boolean that allows one value': (contract) =>
    plant(contract, 'Song', 'explicit', { type: 'boolean', const: true }),
  'a choice between values that have no name': (contract) =>
    plant(contract, 'Artist', 'tier', {
      anyOf: [{ type: 'string', enum: ['watch'] }, { type: 'string' }],
    }),
  'a number whose width is left open': (contract) =>
    plant(contract, 'Song', 'weight', { type: 'number' }),
  'a closed list of values of which more may be added': (contract) =>
    plant(contract, 'Artist', 'tier', {
      type: 'string',
      enum: ['watch'],
      description: 'More may be added',
    }),
  'a schema that is named like a type that its members generate': (contract) =>
    plant(contract, 'Error', 'error', { type: 'string', enum: ['unauthorized'] }),
  'a 401 without the body of a key that nobody issued': (contract) => {
    for (const response of fieldsOf(contract, 'paths').flatMap(([, { get }]) =>
      fieldsOf(get, 'responses', '401', 'content'),
    ))
      Reflect.deleteProperty(Object(response[1]['examples']), 'no-key');
  },
};

describe('generators of clients', () => {
  for (const [shape, find] of Object.entries(rules))
    for (const { file, read } of contracts)
      it(`do not meet ${shape} in ${file}`, () => {
        expect(find(read())).to.deep.equal([]);
        const contract = read();
        planted[shape]?.(contract);
        expect(find(contract), 'when there is one').not.to.deep.equal([]);
      });
});
