import Koa, { type Context } from 'koa';
import { currentForm } from '../adapters/current/form.ts';
import type { Form } from '../adapters/form.ts';
import { createPipeline, type Gateway } from '../adapters/http.ts';
import { inspect } from '../adapters/protocol.ts';
import { splitTarget } from '../adapters/query.ts';
import { pageOutcome, report } from '../adapters/record.ts';
import type { Reference } from '../adapters/reference.ts';
import { type Reply, send } from '../adapters/send.ts';
import { variantForm } from '../adapters/variant/form.ts';

/** Every form there is. The first one answers requests that belong to none: no key, or one that nobody issued. */
export const forms: readonly [Form, ...Form[]] = [currentForm, variantForm];

/**
 * Koa without its own end of a request. Every reply here is sent and waited for by `send`, so what Koa would do behind it
 * (listen for the end of the response, take a failure, send a body) has nothing left to do, and a tenth of the time that a
 * request costs went there. What rejects is the server's to deal with. The method is Koa's own: were it gone, all would go on,
 * only slower.
 */
class Application extends Koa {
  handleRequest(ctx: Context, handle: (ctx: Context) => Promise<void>): Promise<void> {
    return handle(ctx);
  }
}

/** The application over a gateway's parts and the partners' reference; opens nothing and listens nowhere. */
export const createApp = (gateway: Gateway, reference: Reference): Koa => {
  const { clock, log, meter } = gateway;
  const sendPage = async (ctx: Context, path: string, reply: Reply): Promise<void> => {
    const startedAt = clock.elapsed();
    ctx.respond = false;
    const sent = await send(ctx.res, reply);
    report(pageOutcome(path, forms[0].name, reply, sent, clock.elapsed() - startedAt), log, meter);
  };
  const app = new Application();
  app.use((ctx, next) => {
    const reply = reference(ctx.req);
    if (reply === undefined) return next();
    const target = splitTarget(ctx.req.url ?? '');
    return inspect(ctx.req, target) === undefined ? sendPage(ctx, target.path, reply) : next();
  });
  app.use(createPipeline(gateway, forms));
  return app;
};
