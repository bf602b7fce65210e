import Koa from 'koa';
import { currentForm } from '../adapters/current/form.ts';
import type { Form } from '../adapters/form.ts';
import { createPipeline, type Gateway } from '../adapters/http.ts';
import { inspect } from '../adapters/protocol.ts';
import { splitTarget } from '../adapters/query.ts';
import { pageOutcome, report } from '../adapters/record.ts';
import type { Reference } from '../adapters/reference.ts';
import { send } from '../adapters/send.ts';
import { variantForm } from '../adapters/variant/form.ts';

/** Every form there is. The first one answers requests that belong to none: no key, or one that nobody issued. */
export const forms: readonly [Form, ...Form[]] = [currentForm, variantForm];

/** The application over a gateway's parts and the partners' reference; opens nothing and listens nowhere. */
export const createApp = (gateway: Gateway, reference: Reference): Koa => {
  const { clock, log, meter } = gateway;
  const app = new Koa();
  app.on('error', (err: unknown) => log.info({ err }, 'connection failed')); // clients come and go
  app.use(async (ctx, next) => {
    const startedAt = clock.elapsed();
    const reply = reference(ctx.req);
    if (reply === undefined) return next();
    const target = splitTarget(ctx.req.url ?? '');
    if (inspect(ctx.req, target) !== undefined) return next();
    ctx.respond = false;
    const sent = await send(ctx.res, reply);
    report(pageOutcome(target.path, forms[0].name, reply, sent, clock.elapsed() - startedAt), log, meter);
  });
  app.use(createPipeline(gateway, forms));
  return app;
};
