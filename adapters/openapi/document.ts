import { createDocument, type oas31, type ZodOpenApiOperationObject } from 'zod-openapi';
import { formNames } from '../../src/domain/caller.ts';
import type { Form, Route } from '../forms/form.ts';
import { allHeaders } from './headers.ts';
import type { RecordedExamples } from './recorded-examples.ts';
import { describeResponses } from './responses.ts';
import { tidy } from './schemas.ts';

export type Contract = oas31.OpenAPIObject;

export interface ContractSettings {
  /** Where partners reach the service; without it, wherever they read the contract. */
  readonly publicUrl: string | undefined;
  /** The form's golden exchanges, from which it takes its examples. */
  readonly golden: RecordedExamples;
}

/** `/artists/:id` as OpenAPI writes it. */
export const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

/** Request headers that change what is answered. */
const requestHeaders = {
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of the last answer to the same question: 304 when nothing has changed.',
    schema: { type: 'string' },
  },
  envelope: {
    name: 'X-Envelope',
    in: 'header',
    description: 'The form to answer in, for keys that may look through the other one. Ignored for all others.',
    schema: { type: 'string', enum: [...formNames] },
  },
} satisfies Record<string, oas31.ParameterObject>;

const describeRoute = (form: Form, route: Route, golden: RecordedExamples): ZodOpenApiOperationObject => {
  const { contract, access } = route;
  const headers = [...(form.conditional ? [requestHeaders.ifNoneMatch] : []), requestHeaders.envelope];
  return {
    operationId: contract.operationId,
    tags: [contract.tag],
    summary: contract.summary,
    description:
      access === 'public' ? contract.description : `${contract.description}\n\nNeeds the scope \`${access}\`.`,
    security: access === 'public' ? [] : [{ apiKey: [] }],
    requestParams: { ...(contract.path && { path: contract.path }), ...(contract.query && { query: contract.query }) },
    ...(access !== 'public' && { parameters: headers }),
    responses: describeResponses(form, route, golden),
  };
};

/** What a parameter is stands at the parameter; its schema need not repeat it. */
const sayOnce = (contract: Contract): Contract => {
  const parameters = Object.values(contract.paths ?? {}).flatMap(({ get }) => get?.parameters ?? []);
  for (const parameter of parameters) {
    if ('schema' in parameter && parameter.schema !== undefined && 'description' in parameter.schema) {
      delete parameter.schema.description;
    }
  }
  return contract;
};

/**
 * The contract of a form: an OpenAPI document made from its routes, from the schemas it reads and presents with, from its
 * table of problems and from its golden exchanges.
 */
export const describeForm = (form: Form, { publicUrl, golden }: ContractSettings): Contract =>
  sayOnce(
    createDocument(
      {
        openapi: '3.1.0',
        info: {
          title: form.contract.title,
          version: '1.0.0',
          description: form.contract.description,
          contact: { name: 'Partner support' },
          license: { name: 'MIT', identifier: 'MIT' },
        },
        servers: [{ url: publicUrl ?? '/' }],
        security: [{ apiKey: [] }],
        tags: Object.entries(form.contract.tags).map(([name, description]) => ({ name, description })),
        paths: Object.fromEntries(
          form.routes.map((route) => [openApiPath(route.path), { get: describeRoute(form, route, golden) }]),
        ),
        components: {
          schemas: { ...form.contract.schemas },
          headers: Object.fromEntries(Object.entries(allHeaders(form)).map(([name, header]) => [name, { ...header }])),
          securitySchemes: {
            apiKey: {
              type: 'http',
              scheme: 'bearer',
              description: 'An organization’s API key, issued on request. Keep it on your servers.',
            },
          },
        },
      },
      { override: tidy },
    ),
  );
