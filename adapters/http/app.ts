import Koa, { type Context } from 'koa';
import { forms } from '../forms/forms.ts';
import { createPipeline, type Gateway } from './pipeline.ts';
import { checkRequest } from './request-checks.ts';
import { logRequest, pageOutcome } from './request-log.ts';
import { splitTarget } from './request-target.ts';
import { type Reply, send } from './send.ts';

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

/** Answers requests for the partners' reference; returns `undefined` for every other request. */
export type ReferenceHandler = (request: {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly 'if-none-match'?: string | undefined };
}) => Reply | undefined;

/** The application over a gateway's parts and the partners' reference; opens nothing and listens nowhere. */
export const createApp = (gateway: Gateway, reference: ReferenceHandler): Koa => {
  const { clock, log, meter } = gateway;
  const sendPage = async (ctx: Context, path: string, reply: Reply): Promise<void> => {
    const startedAt = clock.elapsed();
    ctx.respond = false;
    const sent = await send(ctx.res, reply);
    logRequest(pageOutcome(path, forms[0].name, reply, sent, clock.elapsed() - startedAt), log, meter);
  };
  const app = new Application();
  app.use((ctx, next) => {
    const reply = reference(ctx.req);
    if (reply === undefined) return next();
    const target = splitTarget(ctx.req.url ?? '');
    return checkRequest(ctx.req, target) === undefined ? sendPage(ctx, target.path, reply) : next();
  });
  app.use(createPipeline(gateway, forms));
  return app;
};
