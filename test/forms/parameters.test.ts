import { expect } from 'chai';
import { z } from 'zod';
import { forms } from '../../adapters/forms/forms.ts';
import { readQuery, splitTarget } from '../../adapters/http/request-target.ts';

const described = z.looseObject({ param: z.looseObject({ example: z.union([z.string(), z.number(), z.boolean()]) }) });

describe('the example of a parameter', () => {
  for (const { name: form, routes } of forms) {
    for (const route of routes) {
      if (route.access === 'public') continue;
      const ask = (query: string) => route.parse(readQuery(splitTarget(`${route.path}?${query}`)), { id: 'art_1' });
      for (const [name, schema] of Object.entries(route.contract.query?.shape ?? {})) {
        it(`changes the question: ${name} of ${route.path} in the ${form} form`, () => {
          const { example } = described.parse(z.globalRegistry.get(schema)).param;
          const asked = ask(`${name}=${encodeURIComponent(example)}`);
          expect(asked.question, `adapters/forms/${form}/params.ts`).to.not.equal(ask('').question);
          expect(asked.adjusted).to.deep.equal([]);
        });
      }
    }
  }
});
