import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Form } from '../../adapters/forms/form.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { splitTarget } from '../../adapters/http/request-target.ts';
import { type Contract, describeForm } from '../../scripts/contracts/document.ts';
import { readRecordedExamples } from '../../scripts/contracts/recorded-examples.ts';
import { at, isJson } from '../../tools/contracts/changes.ts';

/** The parts of a response that a contract describes; headers by lower-case name. */
export interface CheckedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `undefined` when the request was a HEAD. */
  readonly text: string | undefined;
}

/**
 * Copies a contract and forbids undeclared members in every object schema; published contracts
 * allow them.
 */
export const withClosedObjects = <Value>(value: Value): Value => {
  // the same shape, element by element
  if (Array.isArray(value)) return value.map(withClosedObjects) as Value;
  if (!isJson(value)) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withClosedObjects(member)]),
  );
  const names = copy['type'] === 'object' && isJson(copy['properties']);
  // the same shape, and one member more
  return (names ? { ...copy, additionalProperties: false } : copy) as Value;
};

/** The contract that a gateway publishes, by default one with default settings. */
export const contractOf = (
  form: Form,
  baseUrl = 'http://127.0.0.1:3000',
  supportContact?: string,
  unknownKeyForm: string = forms[0].name,
): Contract => {
  const recorded = readRecordedExamples(form.name);
  const contract = describeForm(form, { baseUrl, unknownKeyForm, forms, recorded });
  const kind = /^https?:/.test(supportContact ?? '') ? 'url' : 'email';
  if (supportContact !== undefined)
    contract.info.contact = { ...contract.info.contact, [kind]: supportContact };
  return contract;
};

/** Headers of the connection and of the body's encoding, which a contract need not declare. */
const transportHeaders = [
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'content-type',
];

/**
 * Statuses that no contract declares: the gateway rejects requests that are too long before it
 * knows the form.
 */
const statusesOutsideContract = [431];

const namesOf = (value: unknown): readonly string[] => (isJson(value) ? Object.keys(value) : []);

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** One form's contract with closed objects, and validators for its parts. */
interface Rules {
  readonly contract: unknown;
  readonly templates: readonly { readonly path: string; readonly pattern: RegExp }[];
  readonly validate: (pointer: string, value: unknown) => readonly string[];
  readonly isValid: (schema: unknown, value: unknown) => boolean;
}

const rulesOf = (form: Form): Rules => {
  const contract: unknown = withClosedObjects(contractOf(form));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(contract as object, 'contract'); // a contract is an object
  return {
    contract,
    templates: namesOf(at(contract, 'paths')).map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    })),
    validate: (pointer, value) => {
      const check: ValidateFunction | undefined = ajv.getSchema(`contract#${pointer}`);
      if (check === undefined) return [`has no schema at ${pointer}`];
      if (check(value)) return [];
      return (check.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    },
    // a schema is an object
    isValid: (schema, value) => ajv.validate(schema as object, value) === true,
  };
};

/** The value that a text of a query has for a parameter of a type; the text where it has none. */
const readAs = (type: unknown, text: string): unknown => {
  if (type === 'integer' && /^-?\d+$/.test(text)) return Math.min(Number(text), Number.MAX_VALUE);
  return type === 'boolean' && /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text;
};

/** The query parameters in a form's contract, and which texts it allows for them. */
export const queryParametersOf = (form: Form) => {
  const { contract, templates, validate } = rulesOf(form);
  return templates.flatMap(({ path }) => {
    const operation = at(contract, 'paths', path, 'get', 'parameters');
    return (Array.isArray(operation) ? operation : []).flatMap((parameter: unknown, index) => {
      const pointer = `/paths/${escapePointer(path)}/get/parameters/${index}/schema`;
      const type = at(parameter, 'schema', 'type');
      const allows = (text: string): boolean => validate(pointer, readAs(type, text)).length === 0;
      return at(parameter, 'in') === 'query'
        ? [{ path, name: String(at(parameter, 'name')), allows }]
        : [];
    });
  });
};

const headerFaults = (
  { contract, isValid }: Rules,
  declared: unknown,
  headers: CheckedResponse['headers'],
): readonly string[] => {
  const known = new Map(
    namesOf(declared).map((name) => {
      const header = at(declared, name);
      const isReference = at(header, '$ref') !== undefined;
      return [
        name.toLowerCase(),
        isReference ? at(contract, 'components', 'headers', name) : header,
      ];
    }),
  );
  const undeclared = Object.keys(headers).filter(
    (name) => !known.has(name) && !transportHeaders.includes(name),
  );
  const missing = [...known].filter(
    ([name, header]) => at(header, 'required') === true && headers[name] === undefined,
  );
  const wrong = [...known].filter(([name, header]) => {
    const value = headers[name];
    const parsed = at(header, 'schema', 'type') === 'integer' ? Number(value) : value;
    return value !== undefined && !isValid(at(header, 'schema'), parsed);
  });
  return [
    ...undeclared.map((name) => `sends the undeclared header ${name}`),
    ...missing.map(([name]) => `does not send the header ${name}`),
    ...wrong.map(([name]) => `sends ${name}: ${headers[name]}`),
  ];
};

/** Creates a function that lists how a response violates one form's contract. */
const createContractChecker = (form: Form) => {
  const rules = rulesOf(form);
  const { contract, templates, validate } = rules;

  const bodyFaults = (
    pointer: string,
    response: unknown,
    text: string | undefined,
  ): readonly string[] => {
    if (text === undefined) return [];
    if (at(response, 'content') !== undefined) {
      return validate(`${pointer}/content/application~1json/schema`, JSON.parse(text));
    }
    return text === '' ? [] : ['has a body that is not declared'];
  };

  return (path: string, { status, headers, text }: CheckedResponse): readonly string[] => {
    if (statusesOutsideContract.includes(status)) return [];
    const template = templates.find(({ pattern }) => pattern.test(path))?.path;
    if (template === undefined) {
      if (status !== 404) return [`has status ${status} at an unknown path`];
      return text === undefined
        ? []
        : validate(`/components/schemas/${form.contract.errors[0]}`, JSON.parse(text));
    }
    const response = at(contract, 'paths', template, 'get', 'responses', String(status));
    if (response === undefined) return [`has the undeclared status ${status}`];
    const pointer = `/paths/${escapePointer(template)}/get/responses/${status}`;
    return [
      ...headerFaults(rules, at(response, 'headers'), headers),
      ...bodyFaults(pointer, response, text),
    ];
  };
};

const checkers = new Map(forms.map((form) => [form.name as string, createContractChecker(form)]));

/** Paths of the reference, whose answers are in no form. */
const referencePath = /^\/(openapi(\.\w+)?\.json|docs(\.md|\/.*)?|llms\.txt)?$/;

/** How a response to a path violates the contract of the form in `X-Envelope-Served`. */
export const contractFaults = (path: string, reply: CheckedResponse): readonly string[] => {
  const served = String(reply.headers['x-envelope-served']);
  return checkers.get(served)?.(path, reply) ?? [`says that the form served is ${served}`];
};

/** Throws when a response violates that contract. */
export const expectContract = (target: string, reply: CheckedResponse): void => {
  const { path } = splitTarget(target);
  if (referencePath.test(path)) return;
  const faults = contractFaults(path, reply);
  if (faults.length > 0)
    throw new Error(`${target} ${faults.join('; ')}\n${reply.status} ${reply.text?.slice(0, 500)}`);
};
