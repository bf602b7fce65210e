import Koa from 'koa';
import { createPipeline, type Gateway } from '../../adapters/http.ts';
import { forms } from '../../src/app.ts';
import type { EmbeddedOptions } from '../../src/compare/subject-embedded.ts';
import type { Fault } from './faulty.ts';

/** Answers requests with a gateway that has the fault. */
export const listenerOf =
  ({
    forms: change = (form) => form,
    catalogue,
  }: Pick<Fault, 'forms' | 'catalogue'>): NonNullable<EmbeddedOptions['listener']> =>
  (gateway) => {
    const right = gateway.catalogue.value();
    const wrong = right && catalogue?.(right);
    const faulty: Gateway =
      wrong === undefined ? gateway : { ...gateway, catalogue: { ...gateway.catalogue, value: () => wrong } };
    const [first, ...rest] = forms;
    return new Koa().use(createPipeline(faulty, [change(first), ...rest.map(change)])).callback();
  };
