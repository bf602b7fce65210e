import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { MongoClient } from 'mongodb';
import { announce, rateLimitOptions, source } from './shared.ts';

/**
 * The plain way to serve the same lists and details: one query of the official driver a request,
 * and one window of a rate limit on Redis. Without keys, quotas of organizations, tags, gzip, log
 * and metrics.
 */
const client = new MongoClient(source);
const artists = client.db().collection('artists');
const app = Fastify();

await app.register(rateLimit, rateLimitOptions);

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
announce(app.server);
