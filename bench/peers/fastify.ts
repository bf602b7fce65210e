import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { announce, createPages, redisUrl } from './shared.ts';

/**
 * Fastify with its own rate limit on Redis, one window. Without a response schema: with one it was
 * slower.
 */
const answerPage = createPages();
const app = Fastify();

await app.register(rateLimit, {
  max: 1_000_000_000,
  timeWindow: 60_000,
  redis: new Redis(redisUrl),
  keyGenerator: (request) => request.headers.authorization ?? '',
});

app.get<{ Querystring: { page: string } }>('/api/v1/artists', async (request) =>
  answerPage(Number(request.query.page)),
);

await app.listen({ port: 0, host: '127.0.0.1' });
announce(app.server);
