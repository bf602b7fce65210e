import { z } from 'zod';
import {
  createDocument,
  type oas31,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
} from 'zod-openapi';
import type { Form, Route } from '../../adapters/forms/form.ts';
import { openApiPath } from '../../src/domain/path-template.ts';
import { allHeaders } from './headers.ts';
import type { RecordedExamples } from './recorded-examples.ts';
import { describeResponses, errorSchemas } from './responses.ts';

export type Contract = oas31.OpenAPIObject;

interface ContractSettings {
  readonly baseUrl: string;
  readonly recorded: RecordedExamples;
  readonly forms: readonly Form[];
  readonly unknownKeyForm: string;
}

/** The form that unknown keys get, if it is another form. */
const formForUnknownKey = ({ name }: Form, { forms, unknownKeyForm }: ContractSettings) =>
  forms.find((form) => form.name === unknownKeyForm && form.name !== name);

const ifNoneMatch: oas31.ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  example: 'W/"the last ETag"',
  description:
    'Send the last `ETag` of the same request: the response is 304 if nothing has changed.',
  schema: { type: 'string' },
};

const envelope = ({ name }: Form, forms: readonly Form[]): oas31.ParameterObject => ({
  name: 'X-Envelope',
  in: 'header',
  example: name,
  description: 'The form of the response, for keys that may choose it. Ignored for all other keys.',
  schema: { type: 'string', enum: forms.map((form) => form.name) },
});

const describeRoute = (
  form: Form,
  route: Route,
  settings: ContractSettings,
): ZodOpenApiOperationObject => {
  const { recorded, forms } = settings;
  const { contract, access } = route;
  const headers = [...(form.conditional ? [ifNoneMatch] : []), envelope(form, forms)];
  const { operationId, tag, summary, description, path, query } = contract;
  const needsKey = access !== 'public';
  return {
    operationId,
    tags: [tag],
    summary,
    description: needsKey ? `${description}\n\nRequires the scope \`${access}\`.` : description,
    security: needsKey ? [{ apiKey: [] }] : [],
    requestParams: { ...(path && { path }), ...(query && { query }) },
    ...(needsKey && { parameters: headers }),
    responses: describeResponses(form, route, recorded, formForUnknownKey(form, settings)),
  };
};

/** True if a bound is only JavaScript's largest safe integer. */
const isUnbounded = (bound: unknown): boolean =>
  Math.abs(Number(bound)) === Number.MAX_SAFE_INTEGER;

/**
 * Drops keywords that repeat the type, and shows the type that a parameter means (`integer`), not
 * the string that is sent. Objects stay open, so that validating clients accept new fields.
 */
const tidy: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  const { def } = zodSchema._zod;
  if (io === 'input' && def.type === 'pipe' && def.out._zod.def.type !== 'transform') {
    delete jsonSchema.pattern;
    const { $schema, ...meant } = z.toJSONSchema(def.out);
    Object.assign(jsonSchema, meant);
  }
  // Many generators make a string enumeration of it.
  if (typeof jsonSchema.const === 'boolean') delete jsonSchema.const;
  // Without it, clients in Go use 32 bits and round 41,202,334,871.
  if (jsonSchema.type === 'number') jsonSchema.format = 'double';
  if (jsonSchema['open'] === true) {
    jsonSchema.examples = [...(jsonSchema.enum ?? [])];
    for (const keyword of ['open', 'enum']) delete jsonSchema[keyword];
  }
  // zod omits the default of a transformed parameter.
  if (def.type === 'default') jsonSchema.default = def.defaultValue;
  delete jsonSchema['allowed'];
  delete jsonSchema.propertyNames;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (isUnbounded(jsonSchema.minimum)) delete jsonSchema.minimum;
  if (isUnbounded(jsonSchema.maximum)) delete jsonSchema.maximum;
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
};

/**
 * Removes descriptions and internal keywords from parameter schemas. States which parameters are
 * optional: importers omit them from their requests.
 */
const tidyParameters = (contract: Contract): Contract => {
  const parameters = Object.values(contract.paths ?? {}).flatMap(
    ({ get }) => get?.parameters ?? [],
  );
  for (const parameter of parameters) {
    if ('$ref' in parameter) continue;
    parameter.required ??= false;
    for (const unread of ['description', 'param', 'usage'])
      Reflect.deleteProperty(parameter.schema ?? {}, unread);
  }
  return contract;
};

/** Makes the OpenAPI document of a form. Throws if an example is not recorded. */
export const describeForm = (form: Form, settings: ContractSettings): Contract => {
  const unknownKeyForm = formForUnknownKey(form, settings);
  const note = unknownKeyForm
    ? ` Without a known key the error has the shape of the ${unknownKeyForm.name} form.`
    : '';
  return tidyParameters(
    createDocument(
      {
        openapi: '3.1.0',
        info: {
          title: form.contract.title,
          version: '1.0.0',
          description: form.contract.description.replace('{unknown_key}', note),
          contact: { name: 'Partner support' },
        },
        servers: [{ url: settings.baseUrl }],
        security: [{ apiKey: [] }],
        tags: Object.entries(form.contract.tags).map(([name, description]) => ({
          name,
          description,
        })),
        paths: Object.fromEntries(
          form.routes.map((route) => [
            openApiPath(route.path),
            { get: describeRoute(form, route, settings) },
          ]),
        ),
        components: {
          schemas: {
            ...form.contract.schemas,
            ...(unknownKeyForm && errorSchemas(unknownKeyForm)),
          },
          headers: Object.fromEntries(
            Object.entries(allHeaders(form)).map(([name, header]) => [name, { ...header }]),
          ),
          securitySchemes: {
            apiKey: {
              type: 'http',
              scheme: 'bearer',
              description:
                'Your organization’s API key, issued on request. Keep it on your servers.',
            },
          },
        },
      },
      { override: tidy },
    ),
  );
};
