import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Form } from '../../adapters/forms/form.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { splitTarget } from '../../adapters/http/request-target.ts';
import { type Contract, describeForm } from '../../adapters/openapi/document.ts';
import { readRecordedExamples } from '../../adapters/openapi/recorded-examples.ts';
import { exchangesFolder } from '../../src/runtime/config.ts';

/** As much of a response as a contract speaks of; headers by lower-case name. */
export interface JudgedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `undefined` when the request was one that gets no body (HEAD). */
  readonly text: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy in which every object has the members it names and no others. Published contracts leave that open. */
export const closed = <Value>(value: Value): Value => {
  if (Array.isArray(value)) return value.map(closed) as Value; // the same shape, element by element
  if (!isJson(value)) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const names = copy['type'] === 'object' && isJson(copy['properties']);
  return (names ? { ...copy, additionalProperties: false } : copy) as Value; // the same shape, and one member more
};

/** The contract as it is published, with the address of the service if somebody said it. */
export const contractOf = (form: Form, publicUrl?: string): Contract =>
  describeForm(form, { publicUrl, recorded: readRecordedExamples(join(exchangesFolder, form.name)) });

/** What HTTP itself adds, and what says how the body is written. */
const ofTransport = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'content-type'];

/** What the gateway says outside every contract: of requests too long to be read. */
const outside = [431];

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isJson(inner) ? inner[name] : undefined), value);

const namesOf = (value: unknown): readonly string[] => (isJson(value) ? Object.keys(value) : []);

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** One form's contract, with every object closed, and how to hold a value against a part of it. */
interface Rules {
  readonly contract: unknown;
  readonly templates: readonly { readonly path: string; readonly pattern: RegExp }[];
  readonly validate: (pointer: string, value: unknown) => readonly string[];
  readonly isValid: (schema: unknown, value: unknown) => boolean;
}

const rulesOf = (form: Form): Rules => {
  const contract: unknown = closed(contractOf(form));
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
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    },
    isValid: (schema, value) => ajv.validate(schema as object, value) === true, // a schema is an object
  };
};

const judgeHeaders = (
  { contract, isValid }: Rules,
  declared: unknown,
  headers: JudgedReply['headers'],
): readonly string[] => {
  const known = new Map(
    namesOf(declared).map((name) => {
      const header = at(declared, name);
      const isReference = at(header, '$ref') !== undefined;
      return [name.toLowerCase(), isReference ? at(contract, 'components', 'headers', name) : header];
    }),
  );
  const undeclared = Object.keys(headers).filter((name) => !known.has(name) && !ofTransport.includes(name));
  const missing = [...known].filter(([name, header]) => at(header, 'required') === true && headers[name] === undefined);
  const wrong = [...known].filter(([name, header]) => {
    const value = headers[name];
    const told = at(header, 'schema', 'type') === 'integer' ? Number(value) : value;
    return value !== undefined && !isValid(at(header, 'schema'), told);
  });
  return [
    ...undeclared.map((name) => `sends the undeclared header ${name}`),
    ...missing.map(([name]) => `does not send the header ${name}`),
    ...wrong.map(([name]) => `sends ${name}: ${headers[name]}`),
  ];
};

/** Judges responses by one form's contract. */
const createJudge = (form: Form) => {
  const rules = rulesOf(form);
  const { contract, templates, validate } = rules;

  const judgeBody = (pointer: string, response: unknown, text: string | undefined): readonly string[] => {
    if (text === undefined) return [];
    if (at(response, 'content') !== undefined) {
      return validate(`${pointer}/content/application~1json/schema`, JSON.parse(text));
    }
    return text === '' ? [] : ['has a body that is not declared'];
  };

  return (path: string, { status, headers, text }: JudgedReply): readonly string[] => {
    if (outside.includes(status)) return [];
    const template = templates.find(({ pattern }) => pattern.test(path))?.path;
    if (template === undefined) {
      if (status !== 404) return [`has status ${status} at an unknown path`];
      return text === undefined ? [] : validate(`/components/schemas/${form.contract.error}`, JSON.parse(text));
    }
    const response = at(contract, 'paths', template, 'get', 'responses', String(status));
    if (response === undefined) return [`has the undeclared status ${status}`];
    const pointer = `/paths/${escapePointer(template)}/get/responses/${status}`;
    return [...judgeHeaders(rules, at(response, 'headers'), headers), ...judgeBody(pointer, response, text)];
  };
};

const judges = new Map(forms.map((form) => [form.name as string, createJudge(form)]));

/** Where the reference is: its answers are in no form. */
const ofReference = /^\/(openapi(\.\w+)?\.json|docs(\/.*)?)$/;

/** Fails when a response of the gateway is not as the contract of the form that it says was served. */
export const expectContract = (target: string, reply: JudgedReply): void => {
  const { path } = splitTarget(target);
  if (ofReference.test(path)) return;
  const served = String(reply.headers['x-envelope-served']);
  const faults = judges.get(served)?.(path, reply) ?? [`says that the form served is ${served}`];
  if (faults.length > 0)
    throw new Error(`${target} ${faults.join('; ')}\n${reply.status} ${reply.text?.slice(0, 500)}`);
};
