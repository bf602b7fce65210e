import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { Redis } from 'ioredis';
import { type RedisReply, RedisStore } from 'rate-limit-redis';
import { announce, createPages, redisUrl } from './shared.ts';

/**
 * Express with its usual rate limit on Redis, one window. Without its ETag: hashing each body would
 * cost it a third more.
 */
const answerPage = createPages();
const redis = new Redis(redisUrl);
const app = express();
app.disable('x-powered-by');
app.disable('etag');

app.use(
  rateLimit({
    windowMs: 60_000,
    limit: 1_000_000_000,
    keyGenerator: (request) => request.headers.authorization ?? '',
    store: new RedisStore({
      // A reply of Redis is what its scripts return: the client cannot know their types.
      sendCommand: (command, ...words) => redis.call(command, ...words) as Promise<RedisReply>,
    }),
  }),
);

app.get('/api/v1/artists', (request, response) => {
  response.json(answerPage(Number(request.query['page'])));
});

const server = app.listen(0, '127.0.0.1', () => announce(server));
