import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { announce, createPages, rateLimitOptions } from './shared.ts';

/**
 * Fastify with its own rate limit on Redis, one window. Without a response schema: with one it was
 * slower.
 */
const answerPage = createPages();
const app = Fastify();

await app.register(rateLimit, rateLimitOptions);

app.get<{ Querystring: { page: string } }>('/api/v1/artists', async (request) =>
  answerPage(Number(request.query.page)),
);

await app.listen({ port: 0, host: '127.0.0.1' });
announce(app.server);
