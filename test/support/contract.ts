import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Form } from '../../adapters/forms/form.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { splitTarget } from '../../adapters/http/request-target.ts';
import { type Contract, describeForm } from '../../scripts/contracts/document.ts';
import { readRecordedExamples } from '../../scripts/contracts/recorded-examples.ts';
import { at, isJson } from '../../tools/contracts/changes.ts';

/** The parts of a response that a contract describes; headers by lower-case name. */
interface CheckedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `undefined` when the request was a HEAD. */
  readonly text: string | undefined;
}

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

/** Headers of the connection, which Node adds and a contract need not declare. */
export const connectionHeaders = [
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
];

const namesOf = (value: unknown): readonly string[] => (isJson(value) ? Object.keys(value) : []);

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** A schema for the declared headers of a response, by lower-case name, and no others. */
const headersSchema = (contract: unknown, declared: unknown): object => {
  const headers = namesOf(declared).map((name): [string, unknown] => {
    const isReference = at(declared, name, '$ref') !== undefined;
    const header = at(isReference ? at(contract, 'components', 'headers') : declared, name);
    return [name.toLowerCase(), header];
  });
  return {
    properties: Object.fromEntries(headers.map(([name, header]) => [name, at(header, 'schema')])),
    required: headers.filter(([, header]) => at(header, 'required')).map(([name]) => name),
    additionalProperties: false,
  };
};

/** A form's contract without undeclared members, which published contracts allow. */
export const closedContractOf = (form: Form): object =>
  JSON.parse(JSON.stringify(contractOf(form)), (_name, value) =>
    at(value, 'type') === 'object' && isJson(at(value, 'properties'))
      ? { ...value, additionalProperties: false }
      : value,
  );

/** One form's contract with closed objects, its paths, and a function that lists faults. */
const rulesOf = (form: Form) => {
  const contract = closedContractOf(form);
  // A header is a text, even of an integer.
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const coercing = new Ajv2020({ strict: false, allErrors: true, coerceTypes: true });
  for (const one of [ajv, coercing]) formats.default(one);
  ajv.addSchema(contract, 'contract');
  const faultsOf = (check: ValidateFunction, value: unknown): readonly string[] =>
    check(value)
      ? []
      : (check.errors ?? []).map(
          ({ instancePath, message, params }) =>
            `${instancePath} ${message} ${JSON.stringify(params)}`,
        );
  const headerChecks = new Map<unknown, ValidateFunction>();
  return {
    contract,
    templates: namesOf(at(contract, 'paths')).map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    })),
    validate(pointer: string, value: unknown): readonly string[] {
      const check = ajv.getSchema(`contract#${pointer}`);
      return check === undefined ? [`has no schema at ${pointer}`] : faultsOf(check, value);
    },
    validateHeaders(declared: unknown, headers: CheckedResponse['headers']): readonly string[] {
      const check =
        headerChecks.get(declared) ?? coercing.compile(headersSchema(contract, declared));
      headerChecks.set(declared, check);
      const transport = [...connectionHeaders, 'content-type'];
      const sent = Object.entries(headers).filter(
        ([name, value]) => value !== undefined && !transport.includes(name),
      );
      return faultsOf(check, Object.fromEntries(sent));
    },
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

/** Creates a function that lists how a response violates one form's contract. */
const createContractChecker = (form: Form) => {
  const { contract, templates, validate, validateHeaders } = rulesOf(form);

  const bodyFaults = (pointer: string, text: string | undefined): readonly string[] =>
    text === undefined ? [] : validate(pointer, JSON.parse(text));

  return (path: string, { status, headers, text }: CheckedResponse): readonly string[] => {
    // The gateway rejects requests that are too long before it knows the form.
    if (status === 431) return [];
    const template = templates.find(({ pattern }) => pattern.test(path))?.path;
    if (template === undefined)
      return status === 404
        ? bodyFaults(`/components/schemas/${form.contract.errors[0]}`, text)
        : [`has status ${status} at an unknown path`];
    const response = at(contract, 'paths', template, 'get', 'responses', String(status));
    if (response === undefined) return [`has the undeclared status ${status}`];
    const pointer = `/paths/${escapePointer(template)}/get/responses/${status}`;
    const isDeclared = at(response, 'content') !== undefined;
    return [
      ...validateHeaders(at(response, 'headers'), headers),
      ...(isDeclared ? bodyFaults(`${pointer}/content/application~1json/schema`, text) : []),
      ...(isDeclared || !text ? [] : ['has a body that is not declared']),
    ];
  };
};

const checkers = new Map(forms.map((form) => [form.name as string, createContractChecker(form)]));

/** Paths of the reference, whose answers are in no form. */
const referencePath = /^\/(openapi(\.\w+)?\.json|docs(\.md|\/.*)?|llms\.txt)?$/;

/** Throws when a response violates the contract of the form in `X-Envelope-Served`. */
export const expectContract = (target: string, reply: CheckedResponse): void => {
  const { path } = splitTarget(target);
  if (referencePath.test(path)) return;
  const served = String(reply.headers['x-envelope-served']);
  const check = checkers.get(served) ?? (() => [`says that the form served is ${served}`]);
  const faults = check(path, reply);
  if (faults.length > 0)
    throw new Error(`${target} ${faults.join('; ')}\n${reply.status} ${reply.text?.slice(0, 500)}`);
};
