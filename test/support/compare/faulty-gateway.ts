import Koa from 'koa';
import type { EmbeddedOptions } from '../../../adapters/compare/targets/embedded-target.ts';
import { forms } from '../../../adapters/forms/forms.ts';
import type { RequestState } from '../../../adapters/http/form-router.ts';
import { createPipeline } from '../../../adapters/http/pipeline.ts';
import type { Gateway } from '../../../src/gateway.ts';
import type { Fault } from './faulty.ts';

/** A listener for a gateway with the fault. */
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
    return new Koa<RequestState>().use(createPipeline(faulty, [change(first), ...rest.map(change)])).callback();
  };
