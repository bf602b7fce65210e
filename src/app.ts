import Koa from 'koa';
import { currentForm } from '../adapters/current/form.ts';
import type { Form } from '../adapters/form.ts';
import { createPipeline, type Gateway } from '../adapters/http.ts';
import type { Reference } from '../adapters/reference.ts';
import { send } from '../adapters/send.ts';
import { variantForm } from '../adapters/variant/form.ts';

/** Every form there is. The first one answers requests that belong to none: no key, or one that nobody issued. */
export const forms: readonly [Form, ...Form[]] = [currentForm, variantForm];

/** The application over a gateway's parts and the partners' reference; opens nothing and listens nowhere. */
export const createApp = (gateway: Gateway, reference: Reference): Koa => {
  const app = new Koa();
  app.on('error', (err: unknown) => gateway.log.warn({ err }, 'connection failed'));
  app.use(async (ctx, next) => {
    const reply = reference(ctx.req);
    if (reply === undefined) return next();
    ctx.respond = false;
    await send(ctx.res, reply);
    gateway.log.info({ requestId: reply.headers['X-Request-Id'], route: ctx.path, status: reply.status }, 'request');
  });
  app.use(createPipeline(gateway, forms));
  return app;
};
