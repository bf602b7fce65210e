import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';

/**
 * The plain way to serve the same lists and details: one query of the official driver a request,
 * and one window of a rate limit on Redis. Without keys, quotas of organizations, tags, gzip, log
 * and metrics. Its arguments are the URLs of Redis and MongoDB.
 */
const [, , redisUrl = '', mongodbUrl = ''] = process.argv;
const client = new MongoClient(mongodbUrl);
const artists = client.db().collection('artists');
const app = Fastify();

await app.register(rateLimit, {
  max: 1_000_000_000,
  timeWindow: 60_000,
  redis: new Redis(redisUrl),
  keyGenerator: (request) => request.headers.authorization ?? '',
});

const shown = [
  'id',
  'name',
  'photo_url',
  'genres',
  'country_code',
  'date_added',
  'tier',
  'status',
  'signing',
  'links',
  'metrics',
  'songs',
  'freshness',
  'provenance',
  'data_quality',
];
const projection = Object.fromEntries(shown.map((field) => [field, 1 as const]));

interface ListQuery {
  readonly limit: string;
  readonly tier: string;
  readonly added_since: string;
}

app.get<{ Querystring: ListQuery }>('/api/v1/artists', async ({ query }) => {
  const { limit, tier, added_since } = query;
  const data = await artists
    .find({ tier, date_added: { $gte: added_since } }, { projection })
    .limit(Number(limit))
    .toArray();
  return { data, meta: { count: data.length, generated_at: new Date().toISOString() } };
});

app.get<{ Params: { readonly id: string } }>('/api/v1/artists/:id', async ({ params }, reply) => {
  const data = await artists.findOne({ id: params.id }, { projection });
  return data === null ? reply.code(404).send({ error: 'not_found' }) : { data };
});

await app.listen({ port: 0, host: '127.0.0.1' });
const address = app.server.address();
if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
process.send?.(address.port);
process.on('disconnect', () => process.exit());
