import Koa from 'koa';
import { currentForm } from '../adapters/current/form.ts';
import type { Form } from '../adapters/form.ts';
import { createPipeline, type Gateway } from '../adapters/http.ts';
import { variantForm } from '../adapters/variant/form.ts';

/** Every form there is. The first one answers requests that belong to none: no key, or one that nobody issued. */
export const forms: readonly [Form, ...Form[]] = [currentForm, variantForm];

/** The application over a gateway's parts; opens nothing and listens nowhere. */
export const createApp = (gateway: Gateway): Koa => {
  const app = new Koa();
  app.on('error', (err: unknown) => gateway.log.warn({ err }, 'connection failed'));
  app.use(createPipeline(gateway, forms));
  return app;
};
