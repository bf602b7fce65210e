import type { IncomingMessage } from 'node:http';
import Koa, { type Context } from 'koa';
import type { Gateway } from '../../src/gateway.ts';
import type { Form } from '../forms/form.ts';
import { createPipeline } from './pipeline.ts';
import { checkRequest, traceIdOf } from './request-checks.ts';
import type { EncodingContext, ReadAuthorization } from './request-context.ts';
import { anonymousOutcome, logRequest } from './request-log.ts';
import { splitTarget } from './request-target.ts';
import { type Reply, send } from './send.ts';

/**
 * Koa without its own end of a request: `send` sends every reply and reports its failure. Koa's
 * listeners for the end of a response and its empty reply take a tenth of the processor time of a
 * 304. The method is Koa's own; without the override everything works, only slower.
 */
class Application extends Koa {
  handleRequest(ctx: Context, handle: (ctx: Context) => Promise<void>): Promise<void> {
    return handle(ctx);
  }
}

/** The parts of a Koa context that the partners' reference needs. */
export interface PageContext extends EncodingContext {
  readonly req: Pick<IncomingMessage, 'method' | 'url' | 'headers'>;
}

/**
 * Returns the function that serves a request for the partners' reference; `undefined` for every
 * other request.
 */
export type ReferenceHandler = (context: PageContext) => (() => Promise<Reply>) | undefined;

/**
 * Creates the application for a gateway, its forms and the partners' reference. It opens no
 * connection and no port.
 *
 * @param readAuthorization by default returns the header that the client sent
 */
export const createApp = (
  gateway: Gateway,
  forms: readonly [Form, ...Form[]],
  reference: ReferenceHandler,
  readAuthorization?: ReadAuthorization,
): Koa => {
  const { clock, log, meter } = gateway;
  const sendPage = async (
    ctx: Context,
    path: string,
    makeReply: () => Promise<Reply>,
  ): Promise<void> => {
    const startedAt = clock.elapsed();
    ctx.respond = false;
    const reply = await makeReply();
    const { bytes, failure } = await send(ctx.res, reply);
    const ms = clock.elapsed() - startedAt;
    // The path is one of a fixed set, so it may label metrics.
    const traceId = traceIdOf(ctx.req);
    const members = { traceId, route: path, ms, bytes, cutShort: failure !== undefined };
    logRequest(anonymousOutcome(forms[0].name, reply, members), log, meter);
  };
  const serve = createPipeline(gateway, forms, readAuthorization);
  const app = new Application();
  app.use(async (ctx) => {
    const makeReply = reference(ctx);
    const serving =
      makeReply === undefined || checkRequest(ctx.req) !== undefined
        ? serve(ctx)
        : sendPage(ctx, splitTarget(ctx.req.url ?? '').path, makeReply);
    await serving.catch((err: unknown) => {
      log.error({ err }, 'request failed');
      ctx.req.socket.destroy();
    });
  });
  return app;
};
